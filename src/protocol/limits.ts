/** Every limit of the protocol, once, with its reason. Bytes unless the name says otherwise. */
export const LIMITS = {
  /** A task's module has 15-80 lines; sixteen times the largest one leaves room for any rewrite. */
  moduleBytes: 64 * 1024,
  /** JSON escapes a control character in six bytes, so a module line can be six times its text. */
  patchLineBytes: 6 * 64 * 1024 + 1024,
  /** 24,576 patches of 1 KiB are 25 MB; full rewrites triple that. The platform takes 100 MB. */
  patchesBytes: 95 * 1024 * 1024,
  /** 256 categories of 96 tasks, and as much again for a private overlay. */
  tasksPerEpoch: 49_152,
  /** 256 categories of the map and as many of an overlay. */
  categoriesPerEpoch: 512,
  /** Per part and category; the interval of a cell stops shrinking usefully long before. */
  tasksPerPart: 1_000,
  /** Contract, module and visible checks of one task as text, data and prompt. */
  promptLineBytes: 512 * 1024,
  /** 24,576 prompts of about 11 KiB are 270 MB. */
  promptsBytes: 1024 * 1024 * 1024,
  /** A drawing holds 96 counters for each category as JSON. */
  drawingBytes: 4 * 1024 * 1024,
  /** Every other request body: a key, a manifest, an epoch's title. */
  requestBytes: 64 * 1024,
  /** A compact JWS in a request; a manifest with a full model card takes about 3 KiB. */
  jwsBytes: 16 * 1024,
  /** A report with 512 shown cells is about 400 KiB, a third more in base64url. */
  reportJwsBytes: 2 * 1024 * 1024,
  /** The patches of one category: 96 modules of 64 KiB. A batch of four must fit into one isolate. */
  shardBytes: 8 * 1024 * 1024,
  /** Our deepest shape, the tagged data of a check, nests below 40. */
  jsonDepth: 64,
  /** Values in one JSON text: stops a million empty arrays from becoming a million objects. */
  jsonValues: 200_000,
  /** A displayed name is one line of a table. */
  nameCharacters: 120,
  /** A title is one line of a page. */
  titleCharacters: 200,
  /** A request token covers one request that is sent at once. */
  requestLifetimeSeconds: 300,
  /** A proof of possession is made for one registration. */
  proofLifetimeSeconds: 300,
  /** A manifest outlives an outage of days, so that nothing has to be signed or generated again. */
  manifestLifetimeSeconds: 7 * 24 * 3600,
  /** A laptop that slept is off by a minute or two; a replay record is kept this much longer. */
  clockToleranceSeconds: 120,
  /** Pointers listed in one refusal: enough to find the fault, too few to fill a screen. */
  listedFaults: 20,
} as const
