-- Who the listeners are in sources that grant something at present. $2 to $6 run parallel: numbers of the listeners, their platforms, workspaces,
-- accounts, and addresses (empty where they do not count). $7 asks for sources as well that grant nothing at present. Served by the primary keys of
-- identity, source_address and source_person, by account_email and identity_person.
with listener as materialized (
    select l.* from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[]) as l (n, platform, workspace, account, email), identity_key k
    where not exists (select from identity_forgotten f where f.tenant_id = $1
                      and f.digest = sha256(k.key || convert_to(concat_ws(chr(31), $1::text, l.platform, l.workspace, l.account), 'UTF8')))
), said as materialized (
    select l.n, i.source_id, i.person
    from listener l
    join identity i on i.tenant_id = $1 and i.platform = l.platform and i.workspace = l.workspace and i.account = l.account
), claimed as materialized (
    select a.source_id, a.person as id, a.email
    from (select distinct email from listener where email <> '') l join source_address a on a.tenant_id = $1 and a.email = l.email
), shared as materialized (
    select a.platform, a.workspace, a.id, a.email
    from (select distinct email from listener where email <> '') l join account a on a.email = l.email and a.email <> ''
), matched as (
    select l.n, c.source_id, c.id as person
    from listener l
    join claimed c on c.email = l.email
    where l.email <> ''
      -- The operator's word leads: about the account, and about the person.
      and not exists (select from said s where s.n = l.n and s.source_id = c.source_id)
      and not exists (select from identity i where i.tenant_id = $1 and i.source_id = c.source_id and i.person = c.id
                      and i.platform = l.platform and i.workspace = l.workspace and i.account <> l.account)
      -- Whoever shares an address with somebody is nobody.
      and not exists (select from shared a where a.email = l.email and a.platform = l.platform and a.workspace = l.workspace and a.id <> l.account)
      and not exists (select from listener o where o.email = l.email and o.platform = l.platform and o.workspace = l.workspace and o.account <> l.account)
      and not exists (select from claimed o where o.email = l.email and o.source_id = c.source_id and o.id <> c.id)
), linked as (
    select n, source_id, person, true as said from said where person <> ''
    union all
    select n, source_id, person, false from matched
)
select l.n, l.source_id, l.person, coalesce(nullif(p.name, ''), l.person), p.id is not null, l.said
from linked l
join source_access a on a.tenant_id = $1 and a.source_id = l.source_id and a.loop = 'groups' and (a.until > now() or $7)
join source s on s.tenant_id = $1 and s.id = l.source_id and (s.paused_at is null or $7)
left join source_person p on p.tenant_id = $1 and p.source_id = l.source_id and p.id = l.person
order by l.n, l.source_id
