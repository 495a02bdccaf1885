-- +goose Up
-- What models were used for, day by day (UTC). Amounts are billionths of the currency.
create table spend (
    tenant_id text not null,
    day       date not null,
    model     text not null,
    purpose   text not null,
    currency  text not null, -- empty without prices
    calls     bigint not null default 0,
    estimated bigint not null default 0, -- of the calls: the provider did not tell the tokens
    input     bigint not null default 0,
    cached    bigint not null default 0, -- of input
    output    bigint not null default 0,
    amount    bigint not null default 0,
    primary key (tenant_id, day, model, purpose, currency)
);
create index spend_by_day on spend (day);

-- What caps are checked against: spent and set aside together. The row of the empty tenant is that of all together; every call that is
-- paid for locks that of the month's first day, so that what one leaves room for no other takes.
create table spend_day (
    tenant_id text not null,
    day       date not null,
    currency  text not null,
    used      bigint not null,
    primary key (tenant_id, day, currency)
);

-- What running calls have set aside, and what is booked of them when their process is not heard of until expires_at.
create table spend_hold (
    tenant_id   text not null,
    id          bigint generated always as identity,
    day         date not null,
    model       text not null,
    purpose     text not null,
    currency    text not null,
    amount      bigint not null,
    lost_input  bigint not null,
    lost_output bigint not null,
    lost_amount bigint not null,
    expires_at  timestamptz not null,
    primary key (tenant_id, id)
);
create index spend_hold_expiry on spend_hold (expires_at);

-- +goose Down
drop table spend_hold;
drop table spend_day;
drop table spend;
