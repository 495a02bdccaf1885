-- +goose Up
-- Serves the list of questions from the newest on.
create index turn_intake on turn (tenant_id, intake_at desc, id desc);
-- Serves words in questions. A document of full-text search takes less than a megabyte.
create index message_question on message using gin (to_tsvector('simple', left(text, 20000))) where model_index = -1 and ordinal = 0;

-- Who may sign in to the console, and as what. A session holds no rights: this row is read with
-- every request.
create table console_role (
    tenant_id  text not null references tenant (id),
    platform   text not null, -- 'console': an account of the machine
    workspace  text not null,
    person     text not null,
    role       text not null check (role in ('admin', 'moderator', 'gaps')),
    granted_by text not null,
    granted_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, platform, workspace, person)
);

-- Links that sign a person in once. The secret is 256 random bits, of which the hash alone is stored.
create table console_link (
    tenant_id  text not null,
    hash       bytea not null, -- SHA-256
    platform   text not null,
    workspace  text not null,
    person     text not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    primary key (tenant_id, hash),
    foreign key (tenant_id, platform, workspace, person) references console_role on delete cascade
);
create index console_link_person on console_link (tenant_id, platform, workspace, person);

create table console_session (
    tenant_id  text not null,
    hash       bytea not null, -- SHA-256 of the cookie
    id         text not null,  -- as lists show it
    platform   text not null,
    workspace  text not null,
    person     text not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    used_at    timestamptz, -- to the minute
    primary key (tenant_id, hash),
    foreign key (tenant_id, platform, workspace, person) references console_role on delete cascade
);
create index console_session_person on console_session (tenant_id, platform, workspace, person);

-- Accounts of an identity provider that sign in as a person. Only issuer and subject count.
create table console_identity (
    tenant_id  text not null,
    issuer     text not null,
    subject    text not null,
    platform   text not null,
    workspace  text not null,
    person     text not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, issuer, subject),
    unique (tenant_id, platform, workspace, person, issuer),
    foreign key (tenant_id, platform, workspace, person) references console_role on delete cascade
);

-- Vectors of questions that were not answered well, so that clustering embeds each once.
create table question_vector (
    tenant_id text not null,
    turn_id   uuid not null,
    model     text not null,
    digest    bytea not null, -- SHA-256 of the text
    emb       vector not null,
    primary key (tenant_id, turn_id, model),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade
);

-- What was made of a question goes with its text, whoever changes or erases that.
-- +goose StatementBegin
create function question_vector_forget() returns trigger language plpgsql as $$
begin
    delete from question_vector where tenant_id = old.tenant_id and turn_id = old.turn_id;
    return null;
end
$$;
-- +goose StatementEnd
create trigger question_vector_forget after update of text or delete on message for each row
    when (old.model_index = -1) execute function question_vector_forget();

-- +goose Down
drop trigger question_vector_forget on message;
drop function question_vector_forget();
drop table question_vector;
drop table console_identity;
drop table console_session;
drop table console_link;
drop table console_role;
drop index message_question;
drop index turn_intake;
