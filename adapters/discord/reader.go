package discord

// Reader reads what was said, and knows which question a chain of replies began with. It is safe for concurrent use.
type Reader struct {
	discord   *Bot
	directory *Directory
	roots     *roots
}

// NewReader returns a reader.
func NewReader(b *Bot, d *Directory) *Reader {
	return &Reader{discord: b, directory: d, roots: newRoots(b.api)}
}
