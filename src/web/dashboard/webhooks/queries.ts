/** Queries about webhooks. Every key begins with {@link WEBHOOKS}, so that a change refreshes all of them. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { DeliveryView, WebhookView } from "../../../api/builder/WebhookApi.ts"
import { MINE } from "../../api/queries.ts"
import { call } from "./client.ts"

export type Webhook = typeof WebhookView.Type

export type Delivery = typeof DeliveryView.Type

export const WEBHOOKS: ReadonlyArray<string> = [MINE, "webhooks"]

export const webhooks = queryOptions({
  queryKey: [...WEBHOOKS, "list"],
  queryFn: ({ signal }) => call((api) => api.webhooks.list(), signal)
})

const PAGE = 25

/** Refreshes often while a delivery is pending or recent, and otherwise slowly. */
const SOON_MILLIS = 10_000
const OFTEN_MILLIS = 2_000
const SELDOM_MILLIS = 30_000

const isDueSoon = ({ dueAtMs }: Delivery): boolean => dueAtMs !== undefined && dueAtMs < Date.now() + SOON_MILLIS

/** `state`: only deliveries in it. */
export const deliveries = (id: string, state: Delivery["state"] | undefined) =>
  infiniteQueryOptions({
    queryKey: [...WEBHOOKS, "deliveries", id, state ?? "all"],
    queryFn: ({ pageParam, signal }) =>
      call(
        (api) =>
          api.webhooks.deliveries({
            params: { id },
            query: {
              limit: PAGE,
              ...(state === undefined ? {} : { state }),
              ...(pageParam === undefined ? {} : { cursor: pageParam })
            }
          }),
        signal
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.deliveries.some(isDueSoon)) === true ? OFTEN_MILLIS : SELDOM_MILLIS
  })
