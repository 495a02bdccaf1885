package gittest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // Git names objects by it
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Entry is an entry of a tree object. Its name may be one that Git itself would not write.
type Entry struct {
	Mode string // "100644", "40000"
	Name string
	Hash string
}

// Object stores an object in the served repository without checks and returns its hash.
func (s *Server) Object(kind string, data []byte) string {
	s.t.Helper()
	return s.Stream(kind, int64(len(data)), bytes.NewReader(data))
}

// Stream is like Object, for data that may not fit into memory.
func (s *Server) Stream(kind string, size int64, data io.ReadSeeker) string {
	s.t.Helper()
	sum := sha1.New() //nolint:gosec // as above
	head := fmt.Sprintf("%s %d\x00", kind, size)
	if _, err := io.Copy(sum, io.MultiReader(strings.NewReader(head), data)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := data.Seek(0, io.SeekStart); err != nil {
		s.t.Fatal(err)
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	place := filepath.Join(s.bare, "objects", hash[:2], hash[2:])
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		s.t.Fatal(err)
	}
	f, err := os.Create(place)
	if err != nil {
		s.t.Fatal(err)
	}
	w := zlib.NewWriter(f)
	if _, err := io.Copy(w, io.MultiReader(strings.NewReader(head), data)); err != nil {
		s.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		s.t.Fatal(err)
	}
	return hash
}

// Tree stores a tree without checking its entries and returns its hash.
func (s *Server) Tree(entries ...Entry) string {
	s.t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		raw, err := hex.DecodeString(e.Hash)
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\x00%s", e.Mode, e.Name, raw)
	}
	return s.Object("tree", b.Bytes())
}

// CommitTree stores a commit of a tree and moves the branch to it.
func (s *Server) CommitTree(tree, message string, parents ...string) string {
	s.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author Mal <mal@evil.example> 1770000000 +0000\ncommitter Mal <mal@evil.example> 1770000000 +0000\n\n%s\n", message)
	hash := s.Object("commit", []byte(b.String()))
	s.Point("refs/heads/trunk", hash)
	return hash
}

// Point makes a reference, such as refs/heads/trunk, point to a commit.
func (s *Server) Point(reference, hash string) {
	s.t.Helper()
	place := filepath.Join(s.bare, filepath.FromSlash(reference))
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(place, []byte(hash+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// References makes the server list n references to a commit. Their names are over 100 bytes long.
func (s *Server) References(n int, hash string) {
	s.t.Helper()
	var b bytes.Buffer
	b.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range n {
		fmt.Fprintf(&b, "%s refs/pull/%09d/%s\n", hash, i, strings.Repeat("h", 100))
	}
	if err := os.WriteFile(filepath.Join(s.bare, "packed-refs"), b.Bytes(), 0o600); err != nil {
		s.t.Fatal(err)
	}
}
