//go:build !amd64

package half

func dot(q []float32, v []uint16) float32 { return portable(q, v) }
