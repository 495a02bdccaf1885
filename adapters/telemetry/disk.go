package telemetry

import "github.com/prometheus/client_golang/prometheus"

// disk collects, at each scrape, the free space on the private database's disk.
type disk func() (free uint64, ok bool)

var diskDesc = prometheus.NewDesc("footnote_disk_free_bytes", "Free bytes on the disk of the private PostgreSQL.", nil, nil)

var _ prometheus.Collector = disk(nil)

// Describe implements prometheus.Collector.
func (disk) Describe(to chan<- *prometheus.Desc) { to <- diskDesc }

// Collect implements prometheus.Collector.
func (d disk) Collect(to chan<- prometheus.Metric) {
	if free, ok := d(); ok {
		to <- prometheus.MustNewConstMetric(diskDesc, prometheus.GaugeValue, float64(free))
	}
}
