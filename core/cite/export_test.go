package cite

// Held is the number of bytes that have been taken and not shown.
func (p *Processor) Held() int {
	return p.scan.heldText() + len(p.render.buf)
}

// Fed is how many times a byte was looked at.
func (p *Processor) Fed() int { return p.scan.fed }
