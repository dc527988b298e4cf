// Command collector is what spangraph is measured against: the OpenTelemetry
// Collector's own OTLP receiver, gRPC and HTTP, with a consumer behind it that
// counts spans and nothing else.
//
// It listens on two free ports of the loopback, prints
// "grpc=HOST:PORT http=HOST:PORT", serves until SIGTERM and then prints
// "spans=N".
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// freePort names a port nobody listens on now: the receiver does not say which
// one it got when asked for port 0.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

func run(ctx context.Context) error {
	grpc, err := freePort()
	if err != nil {
		return err
	}
	http, err := freePort()
	if err != nil {
		return err
	}

	var spans atomic.Int64
	count, err := consumer.NewTraces(func(_ context.Context, traces ptrace.Traces) error {
		spans.Add(int64(traces.SpanCount()))
		return nil
	})
	if err != nil {
		return err
	}

	factory := otlpreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	cfg.Protocols.GRPC.GetOrInsertDefault().NetAddr.Endpoint = grpc
	cfg.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = http
	receiver, err := factory.CreateTraces(ctx, receivertest.NewNopSettings(factory.Type()), cfg, count)
	if err != nil {
		return err
	}
	if err := receiver.Start(ctx, componenttest.NewNopHost()); err != nil {
		return err
	}
	fmt.Printf("grpc=%s http=%s\n", grpc, http)
	<-ctx.Done()
	err = receiver.Shutdown(context.Background())
	fmt.Printf("spans=%d\n", spans.Load())
	return err
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "collector:", err)
		os.Exit(1)
	}
}
