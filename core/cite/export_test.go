package cite

// Held is the number of bytes that have been taken and not shown.
func (p *Processor) Held() int {
	return p.scan.held() + len(p.render.blanks) + len(p.render.buf)
}
