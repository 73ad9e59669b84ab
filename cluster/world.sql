-- The identity of a world and the functions that depend on it. They are created in
-- addition to layout 1 if they are missing. SCHEMA is replaced with the name of the schema.

create table SCHEMA.world (
	id       bigint not null, -- random number, so that worlds have different ids
	timeline text   not null  -- timeline of the server when it last answered a node
);

-- Returns the timeline of the server. A standby that takes over starts a new timeline. The result
-- is empty if the server does not report its timeline.
create or replace function SCHEMA.timeline() returns text language plpgsql as $$
begin
	return left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when others then
	return '';
end $$;

-- Returns a timeline as a number; 0 if it is unknown.
create or replace function SCHEMA.number_of(p_timeline text) returns bigint language sql immutable as $$
	select case when p_timeline ~ '^[0-9A-F]{8}$' then ('x' || p_timeline)::bit(32)::bigint else 0 end
$$;

insert into SCHEMA.world values (('x' || substr(md5(gen_random_uuid()::text), 1, 15))::bit(60)::bigint, SCHEMA.timeline());

-- Ends all leases after a standby has taken over, because the standby may lack the last commits
-- and the last leases. The holders of such leases stop within the duration of one lease. Until
-- then, a node without a name holds all zones, so that no other node can claim them. So that no
-- epoch is used twice, each timeline reserves 1,000 epochs for each zone, which is more than the
-- number of leases that a takeover can lose.
create or replace function SCHEMA.take_over(p_ttl interval) returns void language plpgsql set search_path = SCHEMA as $$
declare
	now text := SCHEMA.timeline();
	old text;
begin
	select timeline into old from world where timeline <> now for update;
	if found then
		update world set timeline = now;
		update zones set epoch = epoch + 1000 * greatest(1, SCHEMA.number_of(now) - SCHEMA.number_of(old));
		update leases set node = '', incarnation = 0, until = clock_timestamp() + p_ttl;
	end if;
end $$;

-- Refuses commits after a standby has taken over, until take_over has ended the earlier leases.
create or replace function SCHEMA.same_timeline() returns trigger language plpgsql set search_path = SCHEMA as $$
begin
	if SCHEMA.timeline() <> (select timeline from world) then
		raise exception 'a standby has taken over' using errcode = 'BT001';
	end if;
	return new;
end $$;
create trigger same_timeline before update of frame on SCHEMA.zones for each row execute function SCHEMA.same_timeline();

-- Records that a node is alive, renews its leases, and returns all nodes and zones, a row each. Returns
-- one row with kind 'taken' if another process uses the name.
create or replace function SCHEMA.beat(
	p_node text, p_incarnation bigint, p_ttl interval, p_leaves boolean, p_zones text[], p_epochs bigint[], p_loads double precision[]
) returns table (kind text, name text, node text, mine boolean, renewed boolean, epoch bigint, remains bigint, load double precision, wish text, failures integer, leaves boolean)
language plpgsql set search_path = SCHEMA as $$
#variable_conflict use_column
begin
	perform take_over(p_ttl);
	insert into nodes as n values (p_node, p_incarnation, clock_timestamp() + p_ttl, p_leaves)
	on conflict (name) do update set incarnation = excluded.incarnation, until = excluded.until, leaves = excluded.leaves
	where n.incarnation = excluded.incarnation or n.until <= clock_timestamp();
	if not found then
		return query select 'taken', p_node, null::text, false, false, 0::bigint, 0::bigint, 0::double precision, null::text, 0, false;
		return;
	end if;
	return query
	with mine as (
		update leases l set until = clock_timestamp() + p_ttl, load = u.load,
			failures = case when l.claimed < clock_timestamp() - interval '1 minute' then 0 else l.failures end
		from unnest(p_zones, p_epochs, p_loads) u(name, epoch, load), zones z
		where z.name = u.name and l.zone = z.id and z.epoch = u.epoch
		and l.node = p_node and l.incarnation = p_incarnation and l.until > clock_timestamp()
		returning l.zone
	)
	select 'zone', z.name, case when o.holds then l.node end,
		coalesce(o.holds and l.node = p_node and l.incarnation = p_incarnation, false),
		m.zone is not null, z.epoch,
		case when o.holds then greatest(0, extract(epoch from l.until - clock_timestamp()) * 1000)::bigint else 0 end,
		l.load, case when l.wished > clock_timestamp() then l.wish end, l.failures, false
	from leases l join zones z on z.id = l.zone left join mine m on m.zone = l.zone
	cross join lateral (select m.zone is not null or l.node is not null and l.until > clock_timestamp() as holds) o
	union all
	select 'node', n.name, null, false, false, 0, 0, 0, null, 0, n.leaves from nodes n where n.until > clock_timestamp() and n.name <> p_node
	union all
	select 'node', p_node, null, false, false, 0, 0, 0, null, 0, p_leaves;
end $$;

-- Claims the lease of a zone and returns its next epoch. Returns 0 if another node holds the
-- lease, if the zone has failed too often (which the node may not know yet), or if the node is
-- not alive. A commit locks the same row of the zone. So it is executed either before the claim,
-- and the claimant reads it, or after the claim, and is refused.
create or replace function SCHEMA.claim(p_node text, p_incarnation bigint, p_ttl interval, p_zone text, p_failures integer) returns bigint
language plpgsql set search_path = SCHEMA as $$
declare
	l leases;
	e bigint;
begin
	perform take_over(p_ttl);
	select x.* into l from leases x join zones z on z.id = x.zone where z.name = p_zone for update of x;
	if not found or l.failures >= p_failures or l.node is not null and l.until > clock_timestamp() then
		return 0;
	end if;
	perform 1 from nodes n where n.name = p_node and n.incarnation = p_incarnation and n.until > clock_timestamp();
	if not found then
		return 0;
	end if;
	update zones set epoch = zones.epoch + 1 where id = l.zone returning epoch into e;
	update leases set node = p_node, incarnation = p_incarnation, until = clock_timestamp() + p_ttl, claimed = clock_timestamp(),
		wish = case when wish <> p_node then wish end
	where zone = l.zone;
	return e;
end $$;

create or replace function SCHEMA.release(p_node text, p_incarnation bigint, p_ttl interval, p_zone text, p_epoch bigint, p_to text, p_failed boolean) returns void
language sql set search_path = SCHEMA as $$
	update leases l set node = null, incarnation = null, until = '-infinity',
		wish = coalesce(p_to, l.wish), wished = case when p_to is null then l.wished else clock_timestamp() + p_ttl end,
		failures = case when p_failed then l.failures + 1 else l.failures end
	from zones z where z.id = l.zone and z.name = p_zone and z.epoch = p_epoch and l.node = p_node and l.incarnation = p_incarnation
$$;
