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
  /** undefined: the AWS endpoint of the region. */
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const CONNECT_TIMEOUT_MS = 5000;
/** Without data in either direction. */
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
      // S3-compatible servers rarely support virtual-hosted buckets or the newer checksums.
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
    // Otherwise the request would keep waiting for data after the stream has failed.
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
        `Cannot use the bucket ${this.#bucket} (S3_BUCKET): ${name}, ${message}. Check that it exists and that the other S3_* settings are correct.`,
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

/** @throws {Error} if the stream is shorter or longer than `size` */
async function* exactly(stream: Readable, size: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > size) break;
    yield chunk;
  }
  if (bytes !== size) throw new Error(`received ${bytes} of ${size} bytes`);
}

function nullIfAbsent(error: unknown): null {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  if (name === "NoSuchKey" || name === "NotFound" || $metadata?.httpStatusCode === 404) return null;
  throw error;
}
