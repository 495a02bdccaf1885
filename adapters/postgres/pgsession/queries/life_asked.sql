-- A question whose event, message, session and thread nobody has seen: all its rows at once, or none. $1 to $5: tenant, platform, workspace, channel,
-- thread; $6, $7: event and message; $8, $9, $10: ids of the turn, the session and the message. Whoever takes in or stops the same at this moment is
-- waited for, and this fails then. Served by the primary keys and session's unique columns.
with fresh as materialized (
    select where not exists (select from event where tenant_id = $1 and platform = $2 and workspace = $3 and event_key = $6)
      and not exists (select from surface_message where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and message = $7)
      and not exists (select from session where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5 and owner = '')
      and not exists (select from thread where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5)
),
-- Each part reads the one before, so that all intakes write in one order.
claimed as (
    insert into event (tenant_id, platform, workspace, event_key, turn_id) select $1, $2, $3, $6, $8::uuid from fresh returning turn_id
),
said as (
    insert into surface_message (tenant_id, platform, workspace, channel, message, turn_id, role)
    select $1, $2, $3, $4, $7, turn_id, 'question' from claimed returning turn_id
),
opened as (
    insert into session (tenant_id, id, platform, workspace, channel, thread, owner, starter, turns)
    select $1, $9::uuid, $2, $3, $4, $5, '', $11, 1 from said returning id
),
queued as (
    insert into turn (tenant_id, id, session_id, number, platform_message, asker_id, asker_name, principals, direct, reply_token, reply_expires_at,
                      platform, workspace, reason, ambient, not_before, agent, pending, models, state)
    select $1, $8::uuid, id, 1, $7, $12, $13, $14::text[], $15::boolean, $16::bytea, $17::timestamptz, $2, $3, $18, $19::boolean,
           case when $20::bigint > 0 then clock_timestamp() + $20::bigint * interval '1 microsecond' else '-infinity' end, $21, $22::jsonb, $23::text[], {to queued}
    from opened returning id, intake_at
),
asked as (
    insert into message (tenant_id, id, turn_id, model_index, ordinal, role, author, text, call_id, tokens, at, inherited)
    select $1, $10::uuid, id, -1, 0, 'user', $13, $24, '', $25::int, $26::timestamptz, '{}' from queued
),
joined as (
    insert into thread (tenant_id, platform, workspace, channel, thread, starter, joined, caught_up, bot_turns, last_message)
    select $1, $2, $3, $4, $5, $11, not $19::boolean, $27, $28::boolean::int, $7 from queued returning tenant_id
),
present as (
    insert into participant (tenant_id, platform, workspace, channel, thread, person, bot) select $1, $2, $3, $4, $5, $12, $28::boolean from joined
)
select intake_at from queued
