package checkup

import "time"

// countsAlike is how many times in a row the counts must differ. A single difference is normal
// while a replica starts or stops.
const countsAlike = 3

// TokenWatch compares Slack's count of connections with the replicas of the database, again and
// again. Slack counts only when a connection opens, so a count may be hours old. The zero value is
// ready to use. It is not safe for concurrent use.
type TokenWatch struct {
	counted time.Time
	last    int // replicas at the last call
	most    int // replicas at most, since just before the count
	alike   int
}

// Observe returns a finding as [SharedToken] if the counts differed several times in a row.
// Otherwise the result is "". sockets is Slack's last count, made at the time counted. replicas is
// the current number of live replicas. Replicas that ended after the count count too.
func (w *TokenWatch) Observe(sockets int, counted time.Time, replicas int) string {
	if !counted.Equal(w.counted) {
		w.counted, w.most = counted, w.last
	}
	w.last, w.most = replicas, max(w.most, replicas)
	shared := SharedToken(sockets, w.most)
	if w.alike++; shared == "" {
		w.alike = 0
	}
	if w.alike < countsAlike {
		return ""
	}
	return shared
}
