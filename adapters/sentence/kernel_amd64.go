package sentence

import "golang.org/x/sys/cpu"

// best returns the fastest kernel for this processor. GODEBUG=cpu.avx2=off disables AVX2.
func best() kernel {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return kernel{"AVX2", unpackWide, multiplyWide}
	}
	return plain
}

func unpackWide(to []float32, from []byte, scale []float32) {
	if k := min(len(to), len(from)) / panel; k > 0 {
		unpackAVX2(&to[0], &from[0], &scale[:panel][0], k)
	}
}

func multiplyWide(c []float32, ldc int, a []float32, lda int, b []float32, ldb int, bias []float32, k, rows int) {
	tiles := (rows + tileRows - 1) / tileRows
	if tiles == 0 || k == 0 {
		return
	}
	last := tiles*tileRows - 1
	_, _, _, _ = c[last*ldc+panel-1], a[last*lda+k-1], b[(k-1)*ldb+panel-1], bias[panel-1]
	multiplyAVX2(&c[0], &a[0], &b[0], &bias[0], 4*ldc, 4*lda, 4*ldb, k, tiles)
}

// unpackAVX2 implements kernel.unpack for k rows of a panel.
//
//go:noescape
func unpackAVX2(to *float32, from *byte, scale *float32, k int)

// multiplyAVX2 implements kernel.multiply for whole tiles. Strides are in bytes. k and tiles must
// be at least 1.
//
//go:noescape
func multiplyAVX2(c, a, b, bias *float32, ldc, lda, ldb, k, tiles int)
