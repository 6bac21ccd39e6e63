import type { WorkMessage } from '../protocol/shard.ts'

/** The message that has one shard judged. Its digest pins the bytes that were received. */
export const shardMessage = (
  submission: string,
  shard: { category: string; sha256: string },
): WorkMessage => ({
  v: 1,
  kind: 'shard',
  submission,
  category: shard.category,
  digest: shard.sha256,
})
