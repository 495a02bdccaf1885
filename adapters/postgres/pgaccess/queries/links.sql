-- Who the listeners are in sources that grant something at present. $2 to $6 run parallel: numbers of the listeners, their platforms, workspaces,
-- accounts, and addresses (empty where they do not count). $7 asks for sources as well that grant nothing at present. Served by the primary keys of
-- identity and source_person, by source_person_emails, account_email and identity_person.
with listener as materialized (
    select l.* from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[]) as l (n, platform, workspace, account, email), identity_key k
    where not exists (select from identity_forgotten f where f.tenant_id = $1
                      and f.digest = sha256(k.key || convert_to(concat_ws(chr(31), $1::text, l.platform, l.workspace, l.account), 'UTF8')))
), said as materialized (
    select l.n, i.source_id, i.person
    from listener l
    join identity i on i.tenant_id = $1 and i.platform = l.platform and i.workspace = l.workspace and i.account = l.account
), matched as (
    select l.n, p.source_id, p.id as person
    from listener l
    join source_person p on p.tenant_id = $1 and p.emails @> array[l.email]
    where l.email <> ''
      -- The operator's word leads: about the account, and about the person.
      and not exists (select from said s where s.n = l.n and s.source_id = p.source_id)
      and not exists (select from identity i where i.tenant_id = $1 and i.source_id = p.source_id and i.person = p.id
                      and i.platform = l.platform and i.workspace = l.workspace and i.account <> l.account)
      -- Whoever shares an address with somebody is nobody.
      and not exists (select from account a where a.email = l.email and a.platform = l.platform and a.workspace = l.workspace and a.id <> l.account)
      and not exists (select from listener o where o.email = l.email and o.platform = l.platform and o.workspace = l.workspace and o.account <> l.account)
      and not exists (select from source_person o where o.tenant_id = $1 and o.source_id = p.source_id and o.id <> p.id and o.emails @> array[l.email])
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
