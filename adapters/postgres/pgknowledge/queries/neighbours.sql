-- Documents whose title stands in one of some passages ($2 shards, $3 chunks), if the audience's principals ($4) may read both now, of some sources ($5, null: all)
-- and documents ($6, null: all). Names of $7 documents or more, and those in $8 passages or more, are left out. Served by the primary keys of mention, chunk
-- and document, and by alias_name and mention_name.
select w.shard, w.chunk, d.shard, d.first_chunk, d.chunk_count, d.updated_at, d.boost, m.name, u.uses
from unnest($2::smallint[], $3::bigint[]) as w (shard, chunk)
cross join lateral (
    select true from chunk c join document d on d.tenant_id = $1 and d.shard = c.shard and d.id = c.document
    where c.tenant_id = $1 and c.shard = w.shard and c.id = w.chunk and {may_read} offset 0
) seed
cross join lateral (select name from mention where tenant_id = $1 and shard = w.shard and chunk = w.chunk offset 0) m
cross join lateral (select count(*) as owners from (select from alias where tenant_id = $1 and name = m.name and entity = 0 limit $7) x) o
cross join lateral (select count(*) as uses from (select from mention where tenant_id = $1 and name = m.name limit $8) x) u
cross join lateral (select shard, document from alias where tenant_id = $1 and name = m.name and entity = 0 and o.owners between 1 and $7 - 1 and u.uses < $8 offset 0) a
cross join lateral (
    select * from document d where d.tenant_id = $1 and d.shard = a.shard and d.id = a.document and {may_read} offset 0
) d
where d.chunk_count > 0
  and not (d.shard = w.shard and w.chunk >= d.first_chunk and w.chunk < d.first_chunk + d.chunk_count)
  and ($5::text[] is null or d.source_id = any($5::text[])) and ($6::text[] is null or d.external_id = any($6::text[]))
order by w.shard, w.chunk, d.shard, d.first_chunk
