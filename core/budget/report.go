package budget

import "log/slog"

// Tally counts sections by [Kind].
type Tally [kinds]int

// Total returns the number of all sections counted.
func (t Tally) Total() int {
	total := 0
	for _, n := range t {
		total += n
	}
	return total
}

// LogValue implements [slog.LogValuer]. It lists the kinds that occurred, with their counts.
func (t Tally) LogValue() slog.Value {
	var attrs []slog.Attr
	for k, n := range t {
		if n > 0 {
			attrs = append(attrs, slog.Int(Kind(k).String(), n))
		}
	}
	return slog.GroupValue(attrs...)
}

// Report describes the result of [Fitter.Fit]. It contains only counts, so that logs do not reveal
// texts.
type Report struct {
	// Before and After are the sizes of the context in tokens. After is at most Limit, which is the
	// window without the reserve for the reply.
	Before, After, Limit int
	// Dropped and Trimmed count omitted and shortened sections.
	Dropped, Trimmed Tally
	// DroppedTurns is the number of omitted earlier turns.
	DroppedTurns int
	// Standalone says that the newest message was sent without history, files and project because
	// it was too large.
	Standalone bool
}

// Changed reports whether anything was omitted or shortened.
func (r Report) Changed() bool { return r.Dropped.Total() > 0 || r.Trimmed.Total() > 0 }

// LogValue implements [slog.LogValuer].
func (r Report) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("tokens_before", r.Before),
		slog.Int("tokens_after", r.After),
		slog.Int("tokens_limit", r.Limit),
		slog.Int("dropped_turns", r.DroppedTurns),
		slog.Bool("standalone", r.Standalone),
		slog.Any("dropped", r.Dropped),
		slog.Any("trimmed", r.Trimmed),
	)
}
