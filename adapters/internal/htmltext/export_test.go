package htmltext

import "context"

// Parse reads a text outside the process's pool.
func Parse(source string) Page {
	page, err := read(context.Background(), source)
	if err != nil {
		panic(err) // only a context ends it
	}
	return page
}
