-- +goose Up
-- What is left of an address once everything is taken off that two spellings of one page may differ in: scheme, user, default port, www, case,
-- fragment, query, percent-encoding, dots and doubled slashes, sessions in the path, the name of an index page. It is coarse on purpose: whoever
-- must not read a page must not read it by another spelling either, so a page that is merely spelled alike is taken for it. It calls nothing but
-- built-in functions, since indexes are restored without a search path, and it is bounded: addresses come from documents.
-- +goose StatementBegin
create function address_key(address text) returns text language plpgsql immutable strict parallel safe as $key$
declare
    s text := regexp_replace(btrim(left(address, 4000)), '[#?].*$', '');
    host text;
    code text;
begin
    s := lower(encode(convert_to(translate(s, '\', '/'), 'UTF8'), 'escape') collate "C");
    for round in 1..8 loop -- %2541 is %41 is A
        exit when s !~ '%[0-9a-f]{2}';
        for code in select distinct m[1] from regexp_matches(s, '%[0-9a-f]{2}', 'g') m order by 1 loop
            s := replace(s, code, lower(encode(decode(substr(code, 2), 'hex'), 'escape') collate "C"));
        end loop;
    end loop;
    s := regexp_replace(regexp_replace(s, '^[a-z][a-z0-9+.-]*:', ''), '^/+', '');
    host := regexp_replace(substring(s from '^[^/]*'), '^.*@', '');
    s := substr(s, length(substring(s from '^[^/]*')) + 1);
    host := regexp_replace(rtrim(regexp_replace(host, ':(80|443)?$', ''), '.'), '^www\.', '');
    s := regexp_replace(regexp_replace(s, ';[^/]*', '', 'g'), '/\([a-z]\([0-9a-z]+\)\)(?=/)', '', 'g');
    s := regexp_replace(regexp_replace(s || '/', '(/\.)+(?=/)', '', 'g'), '/+', '/', 'g');
    for round in 1..1000 loop
        exit when s !~ '/\.\./';
        s := regexp_replace(regexp_replace(s, '^(/\.\.)+/', '/'), '/[^/]+/\.\./', '/');
    end loop;
    return host || rtrim(regexp_replace(s, '/(index|default)\.[a-z0-9]+/$', ''), '/');
end
$key$;
-- +goose StatementEnd

create index document_address_key on document (tenant_id, md5(address_key(url))) where url <> '';

-- +goose Down
drop index document_address_key;
drop function address_key(text);
