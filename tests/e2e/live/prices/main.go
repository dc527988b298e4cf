// Prices: what each article costs.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"example.com/prices/prices"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
)

func health(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, `{"ok":true}`)
}

func main() {
	stop, err := startTelemetry(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", health)
	prices.Register(mux)

	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("listening %d\n", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: otelhttp.NewHandler(mux, "prices")}
	go func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		<-signals
		stop(context.Background())
		os.Exit(0)
	}()
	server.Serve(listener)
}
