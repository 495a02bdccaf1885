package cite

// Replace makes n stand for s, for example when a passage with a known number is shown again. Text
// that was converted before does not change.
func (m *Mapping) Replace(n int, s Source) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n >= 1 {
		m.set(n, s)
	}
}
