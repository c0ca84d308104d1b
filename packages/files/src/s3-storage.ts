import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { StorageUnusableError, type ByteRange, type FileStorage, type StoredBytes } from "./storage.ts";

export interface S3Options {
  /** undefined: that of Amazon for the region. */
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const CONNECT_TIMEOUT_MS = 5000;
/** Without a byte coming or going. */
const IDLE_TIMEOUT_MS = 30_000;
const MAX_SOCKETS = 100;

const nothing = (): void => {};
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Stores files in an S3-compatible bucket. Uploads are streamed in a single request. */
export class S3Storage implements FileStorage {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Options) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      region,
      credentials: { accessKeyId, secretAccessKey },
      // Others than Amazon seldom give every bucket a host of its own, nor know its newer checksums.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: "WHEN_REQUIRED",
      // Errors are thrown and logged by the caller.
      logger: SILENT,
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: IDLE_TIMEOUT_MS,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
    });
  }

  async put(key: string, stream: Readable, size: number): Promise<void> {
    const body = Readable.from(exactly(stream, size), { objectMode: false });
    const abort = new AbortController();
    // If the stream fails, the request would wait for the rest.
    body.once("error", (error) => abort.abort(error));
    try {
      const command = new PutObjectCommand({ ...this.#at(key), Body: body, ContentLength: size });
      await this.#client.send(command, { abortSignal: abort.signal });
    } catch (error) {
      stream.destroy();
      body.destroy();
      await this.delete(key).catch(() => undefined);
      throw abort.signal.aborted ? abort.signal.reason : error;
    }
  }

  async size(key: string): Promise<number | null> {
    const found = await this.#client.send(new HeadObjectCommand(this.#at(key))).catch(nullIfAbsent);
    return found === null ? null : (found.ContentLength ?? 0);
  }

  async read(key: string, range?: ByteRange): Promise<StoredBytes | null> {
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
    const found = await this.#client
      .send(new GetObjectCommand({ ...this.#at(key), Range }))
      .catch(nullIfAbsent);
    if (found === null) return null;
    const whole = Number(found.ContentRange?.split("/")[1] ?? found.ContentLength);
    return { stream: found.Body as Readable, size: whole };
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key)));
  }

  async check(): Promise<void> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      const { name, message } = error as Error;
      throw new StorageUnusableError(
        `The bucket ${this.#bucket} of S3_BUCKET cannot be used: ${name}, ${message}. See that it exists, and that the other settings S3_* are right.`,
        { cause: error },
      );
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }
}

/** @throws {Error} when it is not as long as that */
async function* exactly(stream: Readable, size: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > size) break;
    yield chunk;
  }
  if (bytes !== size) throw new Error(`${bytes} bytes came of ${size}`);
}

function nullIfAbsent(error: unknown): null {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  if (name === "NoSuchKey" || name === "NotFound" || $metadata?.httpStatusCode === 404) return null;
  throw error;
}
