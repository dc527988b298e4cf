//go:build subjects

package main

// The modules that are measured, so that go.mod and go.sum pin them.
import (
	_ "github.com/gin-gonic/gin"
	_ "github.com/go-chi/chi/v5"
	_ "github.com/prometheus/common/model"
	_ "github.com/spf13/cobra"
)
