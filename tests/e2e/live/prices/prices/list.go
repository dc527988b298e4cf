package prices

import (
	"encoding/json"
	"net/http"
	"strconv"
)

type list struct {
	cents map[string]int
	asked int
}

func newList() *list {
	return &list{cents: map[string]int{"apple": 50, "pear": 70}}
}

func counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
	})
}

func (l *list) all(w http.ResponseWriter, r *http.Request) {
	json.NewEncoder(w).Encode(l.cents)
}

func (l *list) one(w http.ResponseWriter, r *http.Request) {
	json.NewEncoder(w).Encode(map[string]int{"cents": l.cents[r.PathValue("sku")]})
}

func (l *list) change(w http.ResponseWriter, r *http.Request) {
	cents, err := readCents(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.cents[r.PathValue("sku")] = cents
}

func readCents(r *http.Request) (int, error) {
	return strconv.Atoi(r.FormValue("cents"))
}
