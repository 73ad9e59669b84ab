-- Layout 1 of package cluster, beside the tables of store/postgres. SCHEMA stands for the name of the schema.

create table SCHEMA.cluster_layout (version integer not null);
insert into SCHEMA.cluster_layout values (1);

create table SCHEMA.nodes (
	name        text primary key,
	incarnation bigint not null,      -- of the process: a lease is one's, not a name's
	until       timestamptz not null, -- it is alive
	leaves      boolean not null default false
);

create table SCHEMA.leases (
	zone        bigint primary key references SCHEMA.zones,
	node        text,                 -- null: free
	incarnation bigint,
	until       timestamptz not null default '-infinity',
	claimed     timestamptz,
	load        double precision not null default 0,
	wish        text,                 -- the node that it is to be on
	wished      timestamptz not null default '-infinity', -- until when that holds
	failures    integer not null default 0                -- one after the other, none of them after a minute of play
);

-- Says that a node lives, renews its leases, and returns all that there is: rows of nodes, and rows of
-- zones. One row with kind 'taken' if the name is another process's.
create function SCHEMA.beat(
	p_node text, p_incarnation bigint, p_ttl interval, p_leaves boolean, p_zones text[], p_epochs bigint[], p_loads double precision[]
) returns table (kind text, name text, node text, mine boolean, renewed boolean, epoch bigint, remains bigint, load double precision, wish text, failures integer, leaves boolean)
language plpgsql set search_path = SCHEMA as $$
#variable_conflict use_column
begin
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

-- Gives the lease of a zone, and with it the next epoch; 0 if it is another's, has failed so often
-- (who asks may not know it yet), or the node is not alive.
-- The row of the zone is that which commits hold: they come before, and are read by the claimant, or
-- after, and are refused.
create function SCHEMA.claim(p_node text, p_incarnation bigint, p_ttl interval, p_zone text, p_failures integer) returns bigint
language plpgsql set search_path = SCHEMA as $$
declare
	l leases;
	e bigint;
begin
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

create function SCHEMA.release(p_node text, p_incarnation bigint, p_ttl interval, p_zone text, p_epoch bigint, p_to text, p_failed boolean) returns void
language sql set search_path = SCHEMA as $$
	update leases l set node = null, incarnation = null, until = '-infinity',
		wish = coalesce(p_to, l.wish), wished = case when p_to is null then l.wished else clock_timestamp() + p_ttl end,
		failures = case when p_failed then l.failures + 1 else l.failures end
	from zones z where z.id = l.zone and z.name = p_zone and z.epoch = p_epoch and l.node = p_node and l.incarnation = p_incarnation
$$;
