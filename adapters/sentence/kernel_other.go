//go:build !amd64

package sentence

func best() kernel { return plain }
