package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

// node is the host:port of an OpenSearch node. It is asked directly, and without TLS, for figures
// that the search-engine adapter does not provide.
type node string

func (n node) ask(ctx context.Context, method, path string, out any) (err error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+string(n)+"/"+path, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d", method, path, response.StatusCode)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(out)
}

// release flushes index until no retention lease keeps operations for replica shards. It waits at
// most five minutes. From then on, merges drop those operations.
func (n node) release(ctx context.Context, index string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		if err := n.ask(ctx, http.MethodPost, index+"/_flush?force=true", nil); err != nil {
			return err
		}
		var stats struct {
			Indices map[string]struct {
				Shards map[string][]struct {
					SeqNo struct {
						Max int64 `json:"max_seq_no"`
					} `json:"seq_no"`
					Leases struct {
						Leases []struct {
							From int64 `json:"retaining_seq_no"`
						}
					} `json:"retention_leases"`
				}
			}
		}
		if err := n.ask(ctx, http.MethodGet, index+"/_stats?level=shards", &stats); err != nil {
			return err
		}
		keeps := false
		for _, copies := range stats.Indices[index].Shards {
			for _, shard := range copies {
				for _, lease := range shard.Leases.Leases {
					keeps = keeps || lease.From <= shard.SeqNo.Max
				}
			}
		}
		if !keeps {
			return nil
		}
		if err := sleep.For(ctx, time.Second); err != nil {
			return fmt.Errorf("wait until copies need nothing more of index %s: %w", index, err)
		}
	}
}

// kinds groups Lucene index files by file extension.
var kinds = []struct {
	name string
	ends []string
}{
	{"words", []string{"doc", "tim", "tip", "tmd", "pos", "psm", "nvd", "nvm"}},
	{"vectors", []string{"vec", "vex", "vem", "vemf", "vemq", "veq"}},
	{"what was sent", []string{"fdt", "fdx", "fdm"}},
	{"numbers", []string{"dvd", "dvm", "kdd", "kdi", "kdm", "dii", "dim"}},
}

func (b *bench) printEngine(ctx context.Context, when string) error {
	type sizes struct {
		Store struct {
			Bytes float64 `json:"size_in_bytes"`
		}
		Merges struct {
			Documents float64 `json:"total_docs"`
		}
		Segments struct {
			Count int
			Files map[string]struct {
				Bytes float64 `json:"size_in_bytes"`
			} `json:"file_sizes"`
		}
	}
	var of struct {
		All struct{ Primaries, Total sizes } `json:"_all"`
	}
	if err := b.engine.node.ask(ctx, http.MethodGet, b.engine.name+"/_stats/store,segments,merge?include_segment_file_sizes=true", &of); err != nil {
		return err
	}
	var nodes struct {
		Nodes map[string]struct {
			JVM struct {
				Mem struct {
					Used  float64 `json:"heap_used_in_bytes"`
					Max   float64 `json:"heap_max_in_bytes"`
					Pools map[string]struct {
						LastGC struct {
							Used float64 `json:"used_in_bytes"`
						} `json:"last_gc_stats"`
					}
				}
			}
		}
	}
	if err := b.engine.node.ask(ctx, http.MethodGet, "_nodes/stats/jvm", &nodes); err != nil {
		return err
	}
	var used, most, needed float64
	for _, n := range nodes.Nodes {
		used, most, needed = used+n.JVM.Mem.Used, most+n.JVM.Mem.Max, needed+n.JVM.Mem.Pools["old"].LastGC.Used
	}
	use, err := nodesUse()
	if err != nil {
		return err
	}
	chunks := float64(b.chunks)
	b.printf("%s: %.0f bytes a chunk, with copies %.0f, in %d segments, each merged %.1f times; heap of %d nodes %.0f of %.0f MB, %.0f old ones when last collected; in memory %d MB and %d of files\n", when,
		of.All.Primaries.Store.Bytes/chunks, of.All.Total.Store.Bytes/chunks, of.All.Total.Segments.Count, of.All.Primaries.Merges.Documents/chunks, len(nodes.Nodes), used/1e6, most/1e6, needed/1e6, use.own/1e6, use.files/1e6)
	parts := make(map[string]float64)
	for end, file := range of.All.Primaries.Segments.Files {
		name := "others (" + end + ")"
		for _, k := range kinds {
			if slices.Contains(k.ends, end) {
				name = k.name
			}
		}
		parts[name] += file.Bytes / chunks
	}
	for _, k := range kinds {
		b.printf("  %s %.0f", k.name, parts[k.name])
		delete(parts, k.name)
	}
	for name, size := range parts {
		if size >= 1 {
			b.printf("  %s %.0f", name, size)
		}
	}
	b.printf("\n")
	return nil
}

type use struct {
	computed   time.Duration
	own, files int64 // bytes in memory: the process's own, and of files that it reads
}

// nodesUse adds up the processes that deploy/tools/opensearch/start.sh has started. Without
// OPENSEARCH_NODES it returns zero.
func nodesUse() (use, error) {
	var sum use
	files, err := filepath.Glob(filepath.Join(os.Getenv("OPENSEARCH_NODES"), "node-*.pid"))
	if err != nil || os.Getenv("OPENSEARCH_NODES") == "" {
		return sum, err
	}
	for _, file := range files {
		pid, err := os.ReadFile(file)
		if err != nil {
			return sum, err
		}
		proc := "/proc/" + strings.TrimSpace(string(pid))
		stat, err := os.ReadFile(proc + "/stat")
		if err != nil {
			return sum, err
		}
		// proc(5): the name stands in brackets; utime and stime are fields 14 and 15, in hundredths
		// of a second.
		_, rest, _ := strings.Cut(string(stat), ") ")
		for i, field := range strings.Fields(rest) {
			if i == 14-3 || i == 15-3 {
				sum.computed += time.Duration(number(field)) * time.Second / 100
			}
		}
		status, err := os.ReadFile(proc + "/status")
		if err != nil {
			return sum, err
		}
		for line := range strings.Lines(string(status)) {
			switch name, rest, _ := strings.Cut(line, ":"); name {
			case "RssAnon":
				sum.own += number(strings.Fields(rest)[0]) << 10
			case "RssFile":
				sum.files += number(strings.Fields(rest)[0]) << 10
			}
		}
	}
	return sum, nil
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
