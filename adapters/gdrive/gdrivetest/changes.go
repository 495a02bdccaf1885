package gdrivetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (q *request) corpus() (string, bool) {
	id := q.value("driveId")
	if id == "" {
		return q.user.ID, true
	}
	return id, slices.ContainsFunc(q.Drives, func(d *Drive) bool { return d.ID == id && q.member(d) })
}

func place(corpus string, at int) string { return fmt.Sprintf("%s~%d", corpus, at) }

func (q *request) changes() any {
	corpus, ok := q.corpus()
	if !ok {
		return notFound
	}
	of, text, _ := strings.Cut(q.value("pageToken"), "~")
	from, err := strconv.Atoi(text)
	if err != nil || of != corpus || q.Switches.Forgotten {
		return badToken
	}
	l := q.logOf(corpus)
	var ids []string
	for id, at := range l.entries {
		if at >= from {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return l.entries[a] - l.entries[b] })
	size := 100
	if n, err := strconv.Atoi(q.value("pageSize")); err == nil {
		size = n
	}
	if size = min(size, 1000); q.Switches.Short > 0 {
		size = min(size, q.Switches.Short)
	}
	answer := map[string]any{}
	if len(ids) > size {
		answer["nextPageToken"] = place(corpus, l.entries[ids[size]])
		ids = ids[:size]
	} else {
		answer["newStartPageToken"] = place(corpus, l.at)
	}
	shown := make([]any, 0, len(ids))
	for _, id := range ids {
		f := q.World.files[id]
		entry := map[string]any{"changeType": "file", "fileId": id}
		in := q.sees(f) && (f.Drive != nil && f.Drive.ID == corpus || f.Drive == nil && q.value("driveId") == "")
		entry["removed"] = !in
		// "if the file is still accessible by the user at the time of the request"
		if in || q.sees(f) && q.value("includeCorpusRemovals") == "true" {
			entry["file"] = q.show(f)
		}
		shown = append(shown, entry)
	}
	answer["changes"] = shown
	return answer
}
