/** Queries about webhooks. Every key begins with {@link WEBHOOKS}, so that a change refreshes all of them. */
import { queryOptions } from "@tanstack/react-query"
import type { DeliveryView } from "../../../api/builder/DeliveryView.ts"
import type { WebhookView } from "../../../api/builder/WebhookApi.ts"
import type { WebhookMessageType } from "../../../domain/Webhook.ts"
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

export interface DeliveryFilter {
  readonly state?: Delivery["state"]
  readonly type?: WebhookMessageType
  readonly fromMs?: number
  readonly toMs?: number
  /** A message, or the sweep that messages are about. */
  readonly q?: string
}

export const deliveries = (id: string, filter: DeliveryFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...WEBHOOKS, "deliveries", id, filter, cursor ?? null],
    queryFn: ({ signal }) =>
      call(
        (api) =>
          api.webhooks.deliveries({
            params: { id },
            query: { ...filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
          }),
        signal
      ),
    refetchInterval: ({ state }) => (state.data?.deliveries.some(isDueSoon) === true ? OFTEN_MILLIS : SELDOM_MILLIS)
  })
