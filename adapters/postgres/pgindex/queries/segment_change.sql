-- Tells readers' bitmaps that documents in sealed segments were removed ($5 null) or got another access list ($5). $3 and $4 are the first
-- chunks and chunk counts of the documents. The caller holds the shard's lock. Served by the primary keys; a shard has few segments.
with changed as (
    select s.number, c.first, c.n
    from unnest($3::bigint[], $4::int[]) as c (first, n)
    join segment s on s.tenant_id = $1 and s.shard = $2 and s.low <= c.first and c.first < s.high
    where c.n > 0
), bumped as (
    update segment s
    set epoch = s.epoch + 1, dead = s.dead + case when $5::int is null then t.n else 0 end
    from (select number, sum(n)::int as n from changed group by number) t
    where s.tenant_id = $1 and s.shard = $2 and s.number = t.number
    returning s.number, s.epoch
)
insert into segment_change (tenant_id, shard, segment, epoch, first_chunk, chunk_count, access_number)
select $1, $2, c.number, b.epoch, c.first, c.n, $5::int
from changed c join bumped b on b.number = c.number
