package localembed

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	oversampling = 16 // more directions than wanted, for accuracy
	powers       = 2  // power iterations
	seed         = 0x0f007007e
)

// rightVectors returns the k strongest right singular vectors of a as the first columns of a matrix with one row per column of a. Columns
// beyond k or the rank are zero. The method is the randomised range finder with power iterations of Halko, Martinsson
// and Tropp (2011), algorithm 4.4.
func rightVectors(ctx context.Context, a sparse, columns, k int) (dense, error) {
	width := k + oversampling
	across := a.transposed()
	random := rand.New(rand.NewPCG(seed, uint64(a.columns)))
	probe := newDense(a.columns, width)
	for i := range probe.data {
		probe.data[i] = float32(random.NormFloat64())
	}
	space, err := a.times(ctx, probe)
	if err != nil {
		return dense{}, err
	}
	for range powers {
		if err := orthonormalise(ctx, space); err != nil {
			return dense{}, err
		}
		if probe, err = across.times(ctx, space); err != nil {
			return dense{}, err
		}
		if space, err = a.times(ctx, probe); err != nil {
			return dense{}, err
		}
	}
	if err := orthonormalise(ctx, space); err != nil {
		return dense{}, err
	}
	small, err := across.times(ctx, space) // one row per term
	if err != nil {
		return dense{}, err
	}
	g, err := gram(ctx, small)
	if err != nil {
		return dense{}, err
	}
	values, vectors := eigen(g)
	return project(ctx, small, values, vectors, columns, k)
}

// project turns the eigenvectors of the small problem into singular vectors of the large one.
func project(ctx context.Context, small dense, values []float64, vectors [][]float64, columns, k int) (dense, error) {
	turn := newDense(small.columns, columns)
	for j := range min(k, len(values)) {
		if values[j] <= 1e-9*values[0] || values[0] <= 0 {
			break
		}
		for i := range small.columns {
			turn.row(i)[j] = float32(vectors[i][j] / math.Sqrt(values[j]))
		}
	}
	out := newDense(small.rows, columns)
	err := parallel(ctx, small.rows, func(_, from, to int) {
		for i := from; i < to; i++ {
			sum := out.row(i)
			for j, x := range small.row(i) {
				if x != 0 {
					axpy(sum, x, turn.row(j))
				}
			}
		}
	})
	return out, err
}

// eigen returns the eigenvalues of a symmetric matrix, largest first, and its eigenvectors as columns in the same order, by cyclic Jacobi
// rotations. The signs are fixed, so that equal matrices have equal vectors. It overwrites m.
func eigen(m [][]float64) ([]float64, [][]float64) {
	n := len(m)
	// Vectors are kept as rows while rotating: a rotation then touches two rows of each matrix, and of m two columns as well.
	v := make([][]float64, n)
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	for range 30 {
		var off, diagonal float64
		for i := range n {
			diagonal += m[i][i] * m[i][i]
			for j := range i {
				off += m[i][j] * m[i][j]
			}
		}
		if off <= 1e-20*diagonal {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				if math.Abs(m[p][q]) > 1e-14*math.Sqrt(math.Abs(m[p][p]*m[q][q])) {
					rotate(m, v, p, q)
				}
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m[b][b], m[a][a]) })
	values, columns := make([]float64, n), make([][]float64, n)
	for i := range columns {
		columns[i] = make([]float64, n)
	}
	for j, from := range order {
		values[j] = m[from][from]
		sign := 1.0
		if i := largest(v[from]); v[from][i] < 0 {
			sign = -1
		}
		for i := range n {
			columns[i][j] = sign * v[from][i]
		}
	}
	return values, columns
}

func largest(v []float64) int {
	best := 0
	for i, x := range v {
		if math.Abs(x) > math.Abs(v[best]) {
			best = i
		}
	}
	return best
}

// rotate makes m[p][q] zero.
func rotate(m, v [][]float64, p, q int) {
	theta := (m[q][q] - m[p][p]) / (2 * m[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	rp, rq := m[p], m[q]
	for k := range m {
		mkp, mkq := m[k][p], m[k][q]
		m[k][p], m[k][q] = c*mkp-s*mkq, s*mkp+c*mkq
	}
	for k := range rp {
		x, y := rp[k], rq[k]
		rp[k], rq[k] = c*x-s*y, s*x+c*y
	}
	vp, vq := v[p], v[q]
	for k := range vp {
		x, y := vp[k], vq[k]
		vp[k], vq[k] = c*x-s*y, s*x+c*y
	}
}
