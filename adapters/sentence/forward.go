package sentence

import (
	"context"
	"math"
	"time"
)

type scratch struct {
	hidden []float32 // [token][dimensions], the state of the tokens
	wide   []float32 // [token][inner], or queries, keys and values in rows of 3*dimensions
	mixed  []float32 // [token][dimensions]
	panel  []float32 // a panel of a matrix, unpacked
	keys   []float32 // [headSize][token], the keys of a head
	scores []float32 // [token][token]
	waited time.Duration
}

const (
	headSize = dimensions / heads
	maxRows  = (window + tileRows - 1) / tileRows * tileRows
	// spare is the number of extra rows in each buffer. They allow computing whole tiles at the end
	// of a text.
	spare = tileRows
)

func newScratch() *scratch {
	return &scratch{
		hidden: make([]float32, (window+spare)*dimensions),
		wide:   make([]float32, (window+spare)*inner),
		mixed:  make([]float32, (window+spare)*dimensions),
		panel:  make([]float32, inner*panel),
		keys:   make([]float32, headSize*window),
		scores: make([]float32, maxRows*window),
	}
}

// run computes the mean of the final states of each text's tokens and adds it to out. All texts
// together have at most window tokens, including the begin and end token of each text. If ctx is
// done first, run returns its error.
func (m *Model) run(ctx context.Context, s *scratch, texts [][]int32, out [][]float32) error {
	rows := 0
	s.waited = 0
	for _, tokens := range texts {
		for place, token := range tokens {
			m.weights.place(s.hidden[rows*dimensions:][:dimensions], token, place)
			rows++
		}
	}
	for i := range m.weights.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := &m.weights.layers[i]
		m.apply(ctx, s, &l.qkv, s.wide, s.hidden, rows)
		at := 0
		// in order, because the spare rows after a text are the first rows of the next
		for _, tokens := range texts {
			m.attend(ctx, s, at, len(tokens))
			at += len(tokens)
		}
		m.apply(ctx, s, &l.out, s.wide, s.mixed, rows)
		addNorm(s.hidden, s.wide, l.attended, rows)
		m.apply(ctx, s, &l.up, s.wide, s.hidden, rows)
		gelu(s.wide[:rows*inner])
		m.apply(ctx, s, &l.down, s.mixed, s.wide, rows)
		addNorm(s.hidden, s.mixed, l.done, rows)
	}
	at := 0
	for i, tokens := range texts {
		for range tokens {
			for d, x := range s.hidden[at*dimensions:][:dimensions] {
				out[i][d] += x / float32(len(tokens))
			}
			at++
		}
	}
	return nil
}

func (w *weights) place(to []float32, token int32, at int) {
	scale, row, place := w.scales[token], w.rows[int(token)*dimensions:][:dimensions], w.places[at*dimensions:][:dimensions]
	for d := range to {
		to[d] = scale*float32(int8(row[d])) + place[d]
	}
	w.first.apply(to)
}

func (m *Model) apply(ctx context.Context, s *scratch, by *matrix, to, from []float32, rows int) {
	for j := 0; j < by.outputs; j += panel {
		m.pause(ctx, s)
		weights, scale := by.weights[j*by.inputs:], by.scale[j*by.inputs/group:]
		for i := 0; i < by.inputs; i += group {
			m.kernel.unpack(s.panel[i*panel:][:group*panel], weights[i*panel:][:group*panel], scale[i/group*panel:])
		}
		m.kernel.multiply(to[j:], by.outputs, from, by.inputs, s.panel, panel, by.bias[j:], by.inputs, rows)
	}
}

var zeros [panel]float32

func (m *Model) attend(ctx context.Context, s *scratch, at, n int) {
	const row = 3 * dimensions
	width := (n + panel - 1) / panel * panel
	for head := range heads {
		m.pause(ctx, s)
		query := s.wide[at*row+head*headSize:]
		for t := range n {
			for d, x := range query[t*row+dimensions:][:headSize] {
				s.keys[d*width+t] = x
			}
		}
		for j := 0; j < width; j += panel {
			m.kernel.multiply(s.scores[j:], width, query, row, s.keys[j:], width, zeros[:], headSize, n)
		}
		for t := range n {
			softmax(s.scores[t*width:][:n])
		}
		for j := 0; j < headSize; j += panel {
			m.kernel.multiply(s.mixed[at*dimensions+head*headSize+j:], dimensions, s.scores, width, query[2*dimensions+j:], row, zeros[:], n, n)
		}
	}
}

// softmax applies the softmax function to x in place. It first scales x by 1/√headSize, as
// attention requires.
func softmax(x []float32) {
	const scale = 0.17677669529663687 // 1/√headSize
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum float32
	for i, v := range x {
		e := exp(scale * (v - most))
		x[i], sum = e, sum+e
	}
	for i := range x {
		x[i] /= sum
	}
}

// exp returns e^x for x ≤ 0, with a relative error below 1e-5.
func exp(x float32) float32 {
	if x < -80 {
		return 0
	}
	y := x * (1 / math.Ln2)
	n := int32(y - 0.5) // nearest, since y is not positive
	f := (y - float32(n)) * math.Ln2
	p := 1 + f*(1+f*(1./2+f*(1./6+f*(1./24+f*(1./120+f*(1./720))))))
	return math.Float32frombits(math.Float32bits(p) + uint32(n)<<23)
}

func addNorm(to, from []float32, by norm, rows int) {
	for r := range rows {
		t, f := to[r*dimensions:][:dimensions], from[r*dimensions:][:dimensions]
		for d, x := range f {
			t[d] += x
		}
		by.apply(t)
	}
}

func (n norm) apply(x []float32) {
	var sum, squares float32
	for _, v := range x {
		sum += v
	}
	mean := sum / dimensions
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	scale := float32(1 / math.Sqrt(float64(squares/dimensions)+1e-12))
	for d, w := range n.weight[:len(x)] {
		x[d] = (x[d]-mean)*scale*w + n.bias[d]
	}
}

// geluMost and geluSteps define a table of GELU values from -geluMost to geluMost, in steps of
// 1/geluSteps. Linear interpolation keeps the error below 2e-6. Below the table GELU is 0, and
// above it GELU is x.
const (
	geluMost  = 6
	geluSteps = 256
)

var geluTable = func() (table [2*geluMost*geluSteps + 2]float32) {
	for i := range table {
		x := float64(i)/geluSteps - geluMost
		table[i] = float32(x / 2 * (1 + math.Erf(x/math.Sqrt2)))
	}
	return table
}()

func gelu(x []float32) {
	for i, v := range x {
		switch y := (v + geluMost) * geluSteps; {
		case y >= 0 && y < 2*geluMost*geluSteps:
			at := int(y)
			low := geluTable[at]
			x[i] = low + (y-float32(at))*(geluTable[at+1]-low)
		case v < 0:
			x[i] = 0
		}
	}
}
