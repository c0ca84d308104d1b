//go:build tools

// Package server names what the dry run of the chart needs of Kubernetes, so that go.mod and go.sum pin it.
package server

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
