// Package prices serves what articles cost.
package prices

import "net/http"

const prefix = "/v1/prices"

// Register adds the routes of this package to mux.
func Register(mux *http.ServeMux) {
	list := newList()
	mux.HandleFunc("GET "+prefix, list.all)
	mux.Handle("GET "+prefix+"/{sku}", counted(http.HandlerFunc(list.one)))
	mux.HandleFunc("PUT "+prefix+"/{sku}", list.change)
}
