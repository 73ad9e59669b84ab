-- Layout 1 of package store/postgres. SCHEMA stands for the name of the schema.

create table SCHEMA.layout (version integer not null);
insert into SCHEMA.layout values (1);

create table SCHEMA.zones (
	id       bigint generated always as identity primary key,
	name     text   not null unique,
	epoch    bigint not null,
	frame    bigint not null default 0, -- 0: there is no cut yet
	head     bytea,
	owners   bigint not null default 0, -- how many there are: with the two below it is the sum of the cut
	commands bigint not null default 0,
	total    bigint not null default 0
);

create table SCHEMA.owners (
	id   bigint primary key, -- the 64 bits of the id, as a signed number
	zone bigint not null references SCHEMA.zones,
	crc  bigint not null,    -- the check of the record
	data bytea  not null
);
create index on SCHEMA.owners (zone);

create table SCHEMA.commands (
	zone  bigint  not null references SCHEMA.zones,
	frame bigint  not null,
	n     integer not null,
	crc   bigint  not null,
	data  bytea   not null,
	primary key (zone, frame)
);

-- The next cut of a zone. The row of the zone is held to the end, so that whoever takes it comes
-- before, and this is refused, or after, and finds all of it.
create function SCHEMA.commit(
	p_zone text, p_epoch bigint, p_since bigint, p_frame bigint, p_whole boolean, p_window bigint, p_head bytea,
	p_ids bigint[], p_crcs bigint[], p_data bytea[], p_deleted bigint[],
	p_n integer, p_crc bigint, p_commands bytea
) returns void language plpgsql set search_path = SCHEMA as $$
declare
	z zones;
	k bigint;
	s bigint;
	other text;
begin
	select * into z from zones where name = p_zone for update;
	if not found then
		raise exception 'nobody has opened it' using errcode = 'BT001';
	elsif z.epoch <> p_epoch then
		raise exception 'it is at epoch %, the batch is of %', z.epoch, p_epoch using errcode = 'BT001';
	elsif not p_whole and z.frame < p_since then
		raise exception 'it is at frame %, and frame % had been acknowledged', z.frame, p_since using errcode = 'BT002';
	elsif p_frame < z.frame then
		raise exception 'it is at frame %, the batch is of %', z.frame, p_frame using errcode = 'BT003';
	end if;

	if p_whole then
		delete from owners where zone = z.id;
		delete from commands where zone = z.id;
		z.owners := 0; z.commands := 0; z.total := 0;
	end if;

	with gone as (delete from owners where zone = z.id and id = any(p_deleted) returning crc)
	select count(*), coalesce(sum(crc), 0) into k, s from gone;
	z.owners := z.owners - k; z.total := z.total - s;

	select count(*), coalesce(sum(crc), 0) into k, s from owners where zone = z.id and id = any(p_ids);
	z.owners := z.owners - k; z.total := z.total - s;

	insert into owners (id, zone, crc, data)
	select u.id, z.id, u.crc, u.data from unnest(p_ids, p_crcs, p_data) u(id, crc, data)
	on conflict (id) do update set crc = excluded.crc, data = excluded.data where owners.zone = excluded.zone;
	get diagnostics k = row_count;
	if k <> cardinality(p_ids) then
		select o.id, y.name into k, other from owners o join zones y on y.id = o.zone where o.id = any(p_ids) and o.zone <> z.id limit 1;
		raise exception 'owner % is in zone %', k, other using errcode = 'BT004';
	end if;
	select coalesce(sum(c), 0) into s from unnest(p_crcs) c;
	z.owners := z.owners + k; z.total := z.total + s;

	-- Commands: those of this batch in the place of all behind the cut that it follows; the oldest
	-- go where the newer ones fill the window.
	with gone as (delete from commands c where c.zone = z.id and c.frame > p_since returning c.n, c.crc)
	select coalesce(sum(gone.n), 0), coalesce(sum(gone.crc), 0) into k, s from gone;
	z.commands := z.commands - k + p_n; z.total := z.total - s + p_crc;
	insert into commands values (z.id, p_frame, p_n, p_crc, p_commands);
	with newer as (
		select c.frame, coalesce(sum(c.n) over (order by c.frame desc rows between unbounded preceding and 1 preceding), 0) as n
		from commands c where c.zone = z.id
	), gone as (
		delete from commands c using newer
		where c.zone = z.id and c.frame = newer.frame and c.frame < p_frame and newer.n >= p_window
		returning c.n, c.crc
	)
	select coalesce(sum(gone.n), 0), coalesce(sum(gone.crc), 0) into k, s from gone;

	update zones set frame = p_frame, head = p_head, owners = z.owners, commands = z.commands - k, total = z.total - s where id = z.id;
end $$;
