package cite

// Replace maps n to s even if n has a source, for example when a passage is shown again. Text that
// was already converted does not change.
func (m *Mapping) Replace(n int, s Source) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n >= 1 {
		m.set(n, s)
	}
}
