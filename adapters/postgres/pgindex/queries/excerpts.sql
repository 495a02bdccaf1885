-- Chunks of documents ($2) from one position ($3) to another ($4), if the audience's principals ($5) may read them now. Served by document's
-- unique constraint through the shards, then by the primary key of chunk: a document's chunks have consecutive ids.
select c.shard, c.id, d.external_id, d.source_id, d.kind, d.title, d.url, d.updated_at, {readers},
       c.ordinal, c.heading, c.anchor, c.text, c.lead, c.start_rune, c.end_rune, c.tokens, c.place_starts, c.place_anchors, d.metadata
from index_shard s
join document d on d.tenant_id = s.tenant_id and d.shard = s.shard and d.external_id = any($2::text[])
join lateral (
    select distinct c.* from unnest($2::text[], $3::int[], $4::int[]) as w (external_id, low, high)
    join chunk c on c.tenant_id = d.tenant_id and c.shard = d.shard
        and c.id >= d.first_chunk + greatest(w.low, 0) and c.id <= d.first_chunk + least(w.high, d.chunk_count - 1)
    where w.external_id = d.external_id
) c on true
where s.tenant_id = $1 and {may_read}
order by d.external_id, c.ordinal
