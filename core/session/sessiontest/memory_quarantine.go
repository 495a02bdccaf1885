package sessiontest

import (
	"cmp"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// quarantine groups the turns that a replica held when it died.
type quarantine struct {
	replica       session.ReplicaID
	maxConcurrent int
	host          session.ReplicaID
	at            int // the order in which replicas died
}

func (t *turn) unfinished() bool { return t.State != session.Done || t.disturbed }

func (m *Memory) quarantineDead(me session.ReplicaID, now time.Time) {
	died, again := map[session.ReplicaID]int{}, map[session.ReplicaID]bool{}
	for _, t := range m.turns {
		if t.owner == "" || t.owner == me || !t.unfinished() || t.queued() || m.replicas[t.owner].expires.After(now) {
			continue
		}
		if q := m.quarantines[t.quarantine]; q != nil {
			again[t.owner] = true
			if q.maxConcurrent == 1 {
				t.LoneDeaths++
			}
		}
		died[t.owner]++
		t.quarantine, t.owner = t.owner, ""
		t.Attempt++
		t.Takeovers++
	}
	for id, n := range died {
		if m.quarantines[id] == nil {
			m.ids++
			m.quarantines[id] = &quarantine{replica: id, maxConcurrent: session.MaxConcurrentSuspects(n, again[id]), at: m.ids}
		}
	}
	for id := range m.quarantines {
		if !slices.ContainsFunc(m.turns, func(t *turn) bool { return t.quarantine == id && t.unfinished() }) {
			delete(m.quarantines, id)
		}
	}
	for _, t := range m.turns {
		if m.quarantines[t.quarantine] == nil {
			t.quarantine = ""
		}
	}
}

// quarantineFor returns the quarantine from which a replica may lease turns, by the id of its dead
// replica. An empty group means turns outside quarantines. If full or draining is true, the replica
// gets no turns now. If draining is true, it must first end its other turns.
func (m *Memory) quarantineFor(r session.LeaseRequest, now time.Time) (group session.ReplicaID, full, draining bool) {
	held := map[session.ReplicaID]map[session.ReplicaID]int{} // replica → quarantine → turns
	for _, t := range m.turns {
		if t.owner == "" || !t.unfinished() {
			continue
		}
		if held[t.owner] == nil {
			held[t.owner] = map[session.ReplicaID]int{}
		}
		n := 1
		if t.owner == r.Replica && r.Holding != nil && !slices.Contains(r.Holding, t.ID) {
			n = 0
		}
		held[t.owner][t.quarantine] += n
	}
	groups := make([]*quarantine, 0, len(m.quarantines))
	for _, q := range m.quarantines {
		groups = append(groups, q)
	}
	slices.SortFunc(groups, func(a, b *quarantine) int {
		if (a.host == r.Replica) != (b.host == r.Replica) {
			if a.host == r.Replica {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.maxConcurrent, a.maxConcurrent), cmp.Compare(a.at, b.at))
	})
	for _, q := range groups {
		if n, holds := held[r.Replica][q.replica]; holds {
			return q.replica, n >= q.maxConcurrent, false
		}
	}
	idle := held[r.Replica][""] == 0
	for _, q := range groups {
		mine, hosted := q.host == r.Replica, m.replicas[q.host].expires.After(now)
		taken := !mine && hosted && (!idle || held[q.host][q.replica] > 0)
		if taken || !mine && !m.spare(q, r.Replica, now) || !m.waits(q, r, now) {
			continue
		}
		m.leaveQuarantines(r.Replica)
		q.host = r.Replica
		return q.replica, false, !idle
	}
	m.leaveQuarantines(r.Replica)
	return "", false, false
}

func (m *Memory) leaveQuarantines(host session.ReplicaID) {
	for _, q := range m.quarantines {
		if q.host == host {
			q.host = ""
		}
	}
}

// spare reports whether a replica may run the turns of a quarantine. It may if there is no other
// live replica, or if another one has no quarantine.
func (m *Memory) spare(q *quarantine, me session.ReplicaID, now time.Time) bool {
	others, free := 0, 0
	for id, r := range m.replicas {
		if id == me || !r.expires.After(now) {
			continue
		}
		others++
		busy := false
		for _, o := range m.quarantines {
			busy = busy || o.host == id && o != q
		}
		if !busy {
			free++
		}
	}
	return others == 0 || free > 0
}

func (m *Memory) waits(q *quarantine, r session.LeaseRequest, now time.Time) bool {
	return slices.ContainsFunc(m.turns, func(t *turn) bool {
		return t.quarantine == q.replica && t.owner == "" && t.unfinished() && !t.notBefore.After(now) && deliverable(t, r) && m.leasable(t, r)
	})
}
