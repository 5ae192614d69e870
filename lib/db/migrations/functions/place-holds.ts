/**
 * Places holds, each of up to `amount_nano` and at least `minimum_nano`. `p_requests` is a JSON array;
 * `place` in the answer tells which of its elements a row belongs to.
 *
 * The race of two holds for the same cent is settled by the account's row lock: under READ COMMITTED
 * `for update` waits for the holder before, then reads the row as that one left it, so the amounts that
 * are compared are never stale. The guard in the update and the table's checks say the same again. The
 * idempotency key is looked up after the lock, so a parallel retry finds the first one's hold; the
 * unique index stands behind it.
 *
 * No deadlock: here and in resolve_holds accounts are locked in ascending order, and the rows of an
 * account's keys and holds only under the account's lock.
 */
export const PLACE_HOLDS = `
create function place_holds(p_requests jsonb) returns table (
  place integer, outcome text, hold_id uuid, account_id uuid, key_id uuid,
  amount_nano bigint, available_nano bigint, hold_state text, same_request boolean
) language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_request record;
  v_key_available bigint;
  v_amount_nano bigint;
begin
  for v_request in
    select r.*,
        case r.credential_kind
          when 'credit_id' then (select a.id from account a where a.credit_id_hash = r.secret_hash)
          else (select k.account_id from api_key k where k.secret_hash = r.secret_hash)
        end as locked_account_id
      from jsonb_to_recordset(p_requests) as r(
        place integer, hold_id uuid, credential_kind text, secret_hash text,
        amount_nano bigint, minimum_nano bigint, ttl_seconds integer,
        idempotency_key_hash text, request_hash text,
        query_type text, query_source text, model_id text, price_snapshot jsonb)
      order by locked_account_id
  loop
    place := v_request.place;
    hold_id := v_request.hold_id;
    account_id := v_request.locked_account_id;
    key_id := null;
    amount_nano := null;
    available_nano := null;
    hold_state := null;
    same_request := null;
    v_key_available := null;

    select a.balance_nano - a.held_nano into available_nano
      from account a where a.id = v_request.locked_account_id for update;
    if v_request.credential_kind = 'api_key' then
      -- Read under the lock: it may have been revoked, expired or used up while this waited.
      select k.account_id, k.id, key_available_nano(k, v_now) into account_id, key_id, v_key_available
        from api_key k
        where k.secret_hash = v_request.secret_hash and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > v_now);
    end if;
    if account_id is null then
      outcome := 'unknown_credential';
      return next;
      continue;
    end if;

    -- The same call again after its connection was lost, when the first had been committed.
    select h.amount_nano into amount_nano from hold h where h.id = v_request.hold_id;
    if found then
      outcome := 'held';
      return next;
      continue;
    end if;
    if v_request.idempotency_key_hash is not null then
      select h.id, h.state, h.request_hash = v_request.request_hash
        into hold_id, hold_state, same_request
        from hold h
        where h.account_id = v_request.locked_account_id
          and h.idempotency_key_hash = v_request.idempotency_key_hash;
      if found then
        outcome := 'duplicate';
        return next;
        continue;
      end if;
      hold_id := v_request.hold_id;
    end if;

    v_amount_nano := least(v_request.amount_nano, available_nano, v_key_available);
    if v_amount_nano < v_request.minimum_nano then
      outcome := case
        when v_key_available < v_request.minimum_nano then 'key_limit_reached'
        else 'insufficient_credit'
      end;
      available_nano := least(available_nano, v_key_available);
      return next;
      continue;
    end if;

    update account a set held_nano = a.held_nano + v_amount_nano
      where a.id = v_request.locked_account_id and a.balance_nano - a.held_nano >= v_amount_nano;
    if not found then
      raise exception 'the account cannot hold what was just available';
    end if;
    if key_id is not null then
      update api_key k set held_nano = k.held_nano + v_amount_nano where k.id = place_holds.key_id;
    end if;
    insert into hold (id, account_id, key_id, amount_nano, idempotency_key_hash, request_hash,
        query_type, query_source, model_id, price_snapshot, expires_at)
      values (v_request.hold_id, v_request.locked_account_id, key_id, v_amount_nano,
        v_request.idempotency_key_hash, v_request.request_hash, v_request.query_type, v_request.query_source,
        v_request.model_id, v_request.price_snapshot, v_now + make_interval(secs => v_request.ttl_seconds));
    outcome := 'held';
    amount_nano := v_amount_nano;
    return next;
  end loop;
end
$$`
