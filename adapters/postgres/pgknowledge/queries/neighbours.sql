-- Documents whose title occurs in one of some passages ($2 shards, $3 chunks), if the audience's principals ($4) may read both now, of some sources ($5, null: all)
-- and documents ($6, null: all). Names of $7 readable documents or more, and those in $8 readable passages or more, are left out; so are names of $9 documents or
-- passages or more, readable or not, which bounds what is counted. Served by the primary keys of mention, chunk and document, and by alias_name and mention_name.
select w.shard, w.chunk, d.shard, d.first_chunk, d.chunk_count, d.updated_at, d.boost, m.name, u.uses
from unnest($2::smallint[], $3::bigint[]) as w (shard, chunk)
cross join lateral (
    select true from chunk c join document d on d.tenant_id = $1 and d.shard = c.shard and d.id = c.document
    where c.tenant_id = $1 and c.shard = w.shard and c.id = w.chunk and {may_read} offset 0
) seed
cross join lateral (select name from mention where tenant_id = $1 and shard = w.shard and chunk = w.chunk offset 0) m
cross join lateral (
    select case when (select count(*) from (select from alias where tenant_id = $1 and name = m.name and entity = 0 limit $9) x) between 1 and $9 - 1 then (
        select count(*) from (
            select from alias a join document d on d.tenant_id = $1 and d.shard = a.shard and d.id = a.document
            where a.tenant_id = $1 and a.name = m.name and a.entity = 0 and {may_read} limit $7) x
    ) else 0 end as owners
    offset 0
) o
cross join lateral (
    select case when o.owners between 1 and $7 - 1 and
        (select count(*) from (select from mention where tenant_id = $1 and name = m.name limit $9) x) < $9 then (
        select count(*) from (
            select from mention h join chunk c on c.tenant_id = $1 and c.shard = h.shard and c.id = h.chunk
            join document d on d.tenant_id = $1 and d.shard = c.shard and d.id = c.document
            where h.tenant_id = $1 and h.name = m.name and {may_read} limit $8) x
    ) else $8 end as uses
    offset 0
) u
cross join lateral (select shard, document from alias where tenant_id = $1 and name = m.name and entity = 0 and u.uses < $8 offset 0) a
cross join lateral (
    select * from document d where d.tenant_id = $1 and d.shard = a.shard and d.id = a.document and {may_read} offset 0
) d
where d.chunk_count > 0
  and not (d.shard = w.shard and w.chunk >= d.first_chunk and w.chunk < d.first_chunk + d.chunk_count)
  and ($5::text[] is null or d.source_id = any($5::text[])) and ($6::text[] is null or d.external_id = any($6::text[]))
order by w.shard, w.chunk, d.shard, d.first_chunk
