package slack

// Reader reads what was said in a workspace. It is safe for concurrent use.
type Reader struct {
	slack *Workspace
	twins twins
}

// NewReader returns a reader of a workspace.
func NewReader(w *Workspace) *Reader { return &Reader{slack: w} }
