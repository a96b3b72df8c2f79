/** Says that a request failed and is repeated, while a page still waits for its answer. */
import { useIsFetching } from "@tanstack/react-query"

export function Repeating() {
  const repeated = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 0 })
  return (
    <div className="pointer-events-none fixed inset-x-4 top-4 z-50 flex justify-center" role="status">
      {repeated > 0 && (
        <p className="rounded-md border border-line bg-raised px-3.5 py-2.5 shadow-float">
          A request failed. The page repeats it by itself.
        </p>
      )}
    </div>
  )
}
