package localembed

import (
	"context"
	"math"
)

// dense is a matrix of rows.
type dense struct {
	rows, columns int
	data          []float32
}

func newDense(rows, columns int) dense {
	return dense{rows: rows, columns: columns, data: make([]float32, rows*columns)}
}

func (m dense) row(i int) []float32 { return m.data[i*m.columns : (i+1)*m.columns : (i+1)*m.columns] }

// sparse is a matrix in compressed rows: row i holds values[starts[i]:starts[i+1]] at the columns beside them, ascending.
type sparse struct {
	rows, columns int
	starts        []int
	at            []int32
	values        []float32
}

// transposed returns the matrix with rows and columns exchanged.
func (a sparse) transposed() sparse {
	out := sparse{rows: a.columns, columns: a.rows, starts: make([]int, a.columns+1), at: make([]int32, len(a.at)), values: make([]float32, len(a.values))}
	for _, column := range a.at {
		out.starts[column+1]++
	}
	for i := range a.columns {
		out.starts[i+1] += out.starts[i]
	}
	next := make([]int, a.columns)
	copy(next, out.starts)
	for row := range a.rows {
		for i := a.starts[row]; i < a.starts[row+1]; i++ {
			place := next[a.at[i]]
			next[a.at[i]]++
			out.at[place], out.values[place] = int32(row), a.values[i]
		}
	}
	return out
}

// times multiplies by a dense matrix.
func (a sparse) times(ctx context.Context, x dense) (dense, error) {
	out := newDense(a.rows, x.columns)
	err := parallel(ctx, a.rows, func(_, from, to int) {
		for row := from; row < to; row++ {
			sum := out.row(row)
			for i := a.starts[row]; i < a.starts[row+1]; i++ {
				axpy(sum, a.values[i], x.row(int(a.at[i])))
			}
		}
	})
	return out, err
}

// axpy adds factor times x to sum.
func axpy(sum []float32, factor float32, x []float32) {
	x = x[:len(sum)]
	for len(sum) >= 4 && len(x) >= 4 {
		sum[0] += factor * x[0]
		sum[1] += factor * x[1]
		sum[2] += factor * x[2]
		sum[3] += factor * x[3]
		sum, x = sum[4:], x[4:]
	}
	for i := range sum {
		sum[i] += factor * x[i]
	}
}

func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// gram returns the products of all pairs of columns.
func gram(ctx context.Context, m dense) ([][]float64, error) {
	n := m.columns
	const groups = 8 // partial sums are as large as the result, so there are fewer of them than blocks
	partial := make([][]float64, groups)
	err := parallel(ctx, groups, func(_, from, to int) {
		for g := from; g < to; g++ {
			sum := make([]float64, n*n)
			for i := g * m.rows / groups; i < (g+1)*m.rows/groups; i++ {
				row := m.row(i)
				for a, x := range row {
					if x == 0 {
						continue
					}
					target := sum[a*n+a : (a+1)*n]
					for b, y := range row[a:] {
						target[b] += float64(x * y)
					}
				}
			}
			partial[g] = sum
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float64, n)
	for a := range out {
		out[a] = make([]float64, n)
	}
	for a := range n {
		for b := a; b < n; b++ {
			for _, sum := range partial {
				out[a][b] += sum[a*n+b]
			}
			out[b][a] = out[a][b]
		}
	}
	return out, nil
}

// orthonormalise replaces the columns of m by orthonormal ones that span the same space (Cholesky QR). Columns that depend on the ones
// before them become zero.
func orthonormalise(ctx context.Context, m dense) error {
	g, err := gram(ctx, m)
	if err != nil {
		return err
	}
	n := m.columns
	lower := make([][]float32, n) // the Cholesky factor; a dependent column has 0 on the diagonal
	exact := make([][]float64, n)
	for j := range n {
		exact[j], lower[j] = make([]float64, n), make([]float32, n)
		for i := range j {
			if exact[i][i] == 0 {
				continue
			}
			sum := g[j][i]
			for k := range i {
				sum -= exact[j][k] * exact[i][k]
			}
			exact[j][i] = sum / exact[i][i]
		}
		rest := g[j][j]
		for k := range j {
			rest -= exact[j][k] * exact[j][k]
		}
		if rest > 1e-7*g[j][j] && g[j][j] > 0 {
			exact[j][j] = math.Sqrt(rest)
		}
		for i := range j + 1 {
			lower[j][i] = float32(exact[j][i])
		}
	}
	return parallel(ctx, m.rows, func(_, from, to int) {
		for i := from; i < to; i++ {
			row := m.row(i)
			for j := range row {
				if lower[j][j] == 0 {
					row[j] = 0
					continue
				}
				row[j] = (row[j] - dot(lower[j][:j], row[:j])) / lower[j][j]
			}
		}
	})
}
