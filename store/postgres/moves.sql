-- Tables and functions that move owners between zones, in addition to layout 1. Older programs,
-- which do not know moves, call the same function commit. SCHEMA is replaced with the name of the
-- schema.

-- Owners that have left their zone and have not arrived in another zone yet.
create table SCHEMA.moves (
	id     bigint primary key,
	zone   bigint not null references SCHEMA.zones, -- destination
	number bigint not null generated always as identity,
	data   bytea  not null                          -- record, as in table owners
);
create index on SCHEMA.moves (zone, number);

-- Commits the next cut of a zone. The row of the zone is locked until the transaction ends. So if
-- another process opens the zone, it either does so before the commit, which is then refused, or
-- after the commit, and reads all of it. Moves of owners into the zone only refer to the row and
-- do not wait for the lock, so two zones can exchange owners.
create or replace function SCHEMA.commit(
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
	select * into z from zones where name = p_zone for no key update;
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
	select o.id, y.name into k, other from moves o join zones y on y.id = o.zone where o.id = any(p_ids) limit 1;
	if found then
		raise exception 'owner % is on its way to zone %', k, other using errcode = 'BT004';
	end if;
	k := cardinality(p_ids);
	select coalesce(sum(c), 0) into s from unnest(p_crcs) c;
	z.owners := z.owners + k; z.total := z.total + s;

	-- The commands of this batch replace all commands stored after the cut that the batch
	-- follows. The oldest commands are deleted if the newer commands fill the window.
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

-- Commits the next cut of a zone with departures and arrivals. If an owner leaves in a frame that
-- the zone has already committed, an earlier commit, whose answer was lost, has moved it. The
-- owner then stays where it is now.
create or replace function SCHEMA.commit_moves(
	p_zone text, p_epoch bigint, p_since bigint, p_frame bigint, p_whole boolean, p_window bigint, p_head bytea,
	p_ids bigint[], p_crcs bigint[], p_data bytea[], p_deleted bigint[],
	p_n integer, p_crc bigint, p_commands bytea,
	p_moved bigint[], p_frames bigint[], p_to text[], p_moving bytea[], p_arrived bigint[], p_numbers bigint[]
) returns void language plpgsql set search_path = SCHEMA as $$
declare
	z zones;
	leave bigint[];
	k bigint;
	other text;
begin
	select * into z from zones where name = p_zone for no key update;
	delete from moves m using unnest(p_arrived, p_numbers) u(id, number)
	where m.id = u.id and m.number = u.number and m.zone = z.id;

	select coalesce(array_agg(u.id), '{}') into leave from unnest(p_moved, p_frames) u(id, frame) where u.frame > z.frame;
	perform SCHEMA.commit(p_zone, p_epoch, p_since, p_frame, p_whole, p_window, p_head,
		p_ids, p_crcs, p_data, p_deleted || leave, p_n, p_crc, p_commands);

	select o.id, y.name into k, other from (select id, zone from owners union all select id, zone from moves) o
	join zones y on y.id = o.zone where o.id = any(leave) limit 1;
	if found then
		raise exception 'owner %, which leaves, is in zone %', k, other using errcode = 'BT004';
	end if;
	insert into zones (name, epoch) select distinct t, 0 from unnest(p_to) t
	where not exists (select from zones y where y.name = t) on conflict (name) do nothing;
	insert into moves (id, zone, data) select u.id, y.id, u.data
	from unnest(p_moved, p_to, p_moving) u(id, name, data) join zones y on y.name = u.name where u.id = any(leave);
end $$;
