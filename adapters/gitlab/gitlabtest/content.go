package gitlabtest

import (
	"cmp"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// pages serves the list of all pages of a wiki. It includes their texts if with_content is set
// (https://docs.gitlab.com/api/wikis/).
func (q *request) pages(parts []string) any {
	p := q.find(parts[0])
	if p == nil || !q.offers(p, Page) {
		return refused(http.StatusForbidden)
	}
	list := []any{}
	for _, t := range q.Things {
		if t.Kind == Page && t.Project == p {
			list = append(list, showPage(t, slices.Contains([]string{"1", "true"}, q.values.Get("with_content"))))
		}
	}
	return list
}

func showPage(t *Thing, content bool) any {
	shown := map[string]any{"slug": t.Path, "title": t.Title, "format": cmp.Or(t.Ref, "markdown"), "encoding": "UTF-8"}
	if content {
		shown["content"] = t.Text
	}
	return shown
}

func (q *request) page(parts []string) any {
	p := q.find(parts[0])
	if p == nil || !q.offers(p, Page) {
		return refused(http.StatusForbidden)
	}
	for _, t := range q.Things {
		if t.Kind == Page && t.Project == p && t.Path == parts[1] {
			return showPage(t, true)
		}
	}
	return refused(http.StatusNotFound)
}

func (q *request) branch(parts []string) any {
	p := q.find(parts[0])
	if p == nil || !q.offers(p, File) || len(p.history) == 0 || parts[1] != p.Branch {
		return refused(http.StatusNotFound)
	}
	return map[string]any{"name": p.Branch, "default": true, "commit": map[string]any{"id": p.head(), "committed_date": instant(q.Time)}}
}

// tree serves the list of all files of a repository, with keyset pagination
// (https://docs.gitlab.com/api/repositories/#list-repository-tree).
func (q *request) tree(parts []string) any {
	p := q.find(parts[0])
	if p == nil || !q.offers(p, File) {
		return refused(http.StatusNotFound)
	}
	files, found := p.at(q.values.Get("ref"))
	if !found {
		return refused(http.StatusNotFound)
	}
	paths := slices.Sorted(maps.Keys(files))
	return keyset(q, "page_token", paths, func(path string) string { return sha(path) }, func(path string) any {
		return map[string]any{"id": sha(files[path]), "name": path[strings.LastIndex(path, "/")+1:], "type": "blob", "path": path, "mode": "100644"}
	})
}

func (q *request) file(parts []string) any {
	p := q.find(parts[0])
	if p == nil || !q.offers(p, File) {
		return refused(http.StatusNotFound)
	}
	files, _ := p.at(q.values.Get("ref"))
	text, found := files[parts[1]]
	if !found {
		return refused(http.StatusNotFound)
	}
	return raw(text)
}

// about serves the metadata of a file as response headers, without the content
// (https://docs.gitlab.com/api/repository_files/).
func (q *request) about(parts []string) any {
	text, is := q.file(parts).(raw)
	if !is {
		return refused(http.StatusNotFound)
	}
	q.header.Set("X-Gitlab-Blob-Id", sha(string(text)))
	q.header.Set("X-Gitlab-Size", strconv.Itoa(len(text)))
	q.header.Set("X-Gitlab-File-Path", parts[1])
	return raw("")
}

// compare serves the list of files that differ between two commits. It silently truncates the list
// at 1,000 files, as GitLab does (https://docs.gitlab.com/administration/diff_limits/).
func (q *request) compare(parts []string) any {
	p := q.find(parts[0])
	if p == nil || !q.offers(p, File) {
		return refused(http.StatusNotFound)
	}
	from, known := p.at(q.values.Get("from"))
	to, there := p.at(q.values.Get("to"))
	if !known || !there {
		return refused(http.StatusNotFound)
	}
	diffs := []any{}
	for _, path := range slices.Compact(slices.Sorted(concat(maps.Keys(from), maps.Keys(to)))) {
		before, was := from[path]
		after, is := to[path]
		if before == after && was == is || len(diffs) >= cmp.Or(q.switches.MostDiffs, 1000) {
			continue
		}
		diffs = append(diffs, map[string]any{"old_path": path, "new_path": path, "new_file": !was, "deleted_file": !is, "renamed_file": false, "diff": ""})
	}
	return map[string]any{"commits": []any{}, "diffs": diffs, "compare_timeout": false, "compare_same_ref": false}
}

func concat[T any](a, b iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, one := range []iter.Seq[T]{a, b} {
			for value := range one {
				if !yield(value) {
					return
				}
			}
		}
	}
}
