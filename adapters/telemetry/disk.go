package telemetry

import "github.com/prometheus/client_golang/prometheus"

type diskCollector func() (free uint64, ok bool)

var diskDesc = prometheus.NewDesc("footnote_disk_free_bytes", "Free bytes on the disk of the private PostgreSQL.", nil, nil)

var _ prometheus.Collector = diskCollector(nil)

// Describe implements prometheus.Collector.
func (diskCollector) Describe(to chan<- *prometheus.Desc) { to <- diskDesc }

// Collect implements prometheus.Collector.
func (d diskCollector) Collect(to chan<- prometheus.Metric) {
	if free, ok := d(); ok {
		to <- prometheus.MustNewConstMetric(diskDesc, prometheus.GaugeValue, float64(free))
	}
}
