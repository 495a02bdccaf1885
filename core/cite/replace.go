package cite

// Replace makes the number n stand for s from now on, as when a passage whose number the session
// knows already is shown again. Text that was converted before stays as it is.
func (m *Mapping) Replace(n int, s Source) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n >= 1 {
		m.set(n, s)
	}
}
