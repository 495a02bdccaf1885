-- Chunks by shard ($2) and id ($3), if the audience's principals ($4) may read them now. Served by the primary keys, one look-up each.
select c.shard, c.id, d.external_id, d.source_id, d.kind, d.title, d.url, d.updated_at, {readers},
       c.ordinal, c.heading, c.anchor, c.text, c.lead, c.start_rune, c.end_rune, c.tokens, c.place_starts, c.place_anchors, d.metadata
from (select distinct * from unnest($2::smallint[], $3::bigint[]) as u (shard, id)) w
cross join lateral (
    select * from chunk where tenant_id = $1 and shard = w.shard and id = w.id offset 0
) c
cross join lateral (
    select * from document d where tenant_id = $1 and shard = c.shard and id = c.document and {may_read} offset 0
) d
order by c.shard, c.id
