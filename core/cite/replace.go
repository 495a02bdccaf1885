package cite

// Replace assigns the number n to s, even if n already has a source. Text that was already
// converted does not change. It does nothing if n is below 1.
func (m *Mapping) Replace(n int, s Source) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n >= 1 {
		m.set(n, s)
	}
}
