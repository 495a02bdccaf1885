package sentence

// tileRows and panel are the size of a tile in rows and columns. A matrix product computes one tile
// at a time. Weights are stored in panels of that many columns.
const (
	tileRows = 6
	panel    = 16
)

// kernel implements the two slowest computations of the model. There may be a faster kernel for a
// type of processor. All kernels return the same results, up to rounding.
type kernel struct {
	name string
	// unpack multiplies a panel of weights by the scales of its outputs: to[i] is from[i] *
	// scale[i%panel].
	unpack func(to []float32, from []byte, scale []float32)
	// multiply computes c[r][j] = bias[j] + Σ a[r][i] * b[i][j] for the panel outputs j and the
	// inputs i < k. The rows of a, b and c are lda, ldb and ldc numbers apart. The number of rows
	// is rounded up to whole tiles, so a must be readable and c writable up to there.
	multiply func(c []float32, ldc int, a []float32, lda int, b []float32, ldb int, bias []float32, k, rows int)
}

var plain = kernel{"plain", unpackPlain, multiplyPlain}

func unpackPlain(to []float32, from []byte, scale []float32) {
	scale = scale[:panel]
	for len(from) >= panel && len(to) >= panel {
		f, t := from[:panel], to[:panel]
		for i := range panel {
			t[i] = float32(int8(f[i])) * scale[i]
		}
		from, to = from[panel:], to[panel:]
	}
}

// multiplyPlain implements kernel.multiply. It keeps 2 × 4 sums in registers.
func multiplyPlain(c []float32, ldc int, a []float32, lda int, b []float32, ldb int, bias []float32, k, rows int) {
	for r := 0; r < rows; r += 2 {
		a0, a1 := a[r*lda:][:k], a[(r+1)*lda:][:k]
		for j := 0; j < panel; j += 4 {
			s0, s1, s2, s3 := bias[j], bias[j+1], bias[j+2], bias[j+3]
			t0, t1, t2, t3 := s0, s1, s2, s3
			at := j
			for i, x := range a0 {
				y, w := a1[i], b[at:at+4:at+4]
				s0, t0 = s0+x*w[0], t0+y*w[0]
				s1, t1 = s1+x*w[1], t1+y*w[1]
				s2, t2 = s2+x*w[2], t2+y*w[2]
				s3, t3 = s3+x*w[3], t3+y*w[3]
				at += ldb
			}
			u, v := c[r*ldc+j:][:4], c[(r+1)*ldc+j:][:4]
			u[0], u[1], u[2], u[3] = s0, s1, s2, s3
			v[0], v[1], v[2], v[3] = t0, t1, t2, t3
		}
	}
}
