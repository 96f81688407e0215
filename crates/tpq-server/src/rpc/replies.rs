//! Numbers and sends the replies of a connection.

use bytes::{BufMut, Bytes, BytesMut};
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};
use tokio::sync::mpsc::Sender;
use tpq_proto::message::TraceProcessorRpc;
use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod, Type};

use super::framing::{KEY, framed};

/// The client does not read any more.
#[derive(Debug)]
pub(super) struct Disconnected;

/// Numbers of the fields of `TraceProcessorRpc` that are written directly.
pub(super) mod field {
    pub(in super::super) const SEQ: u32 = 1;
    pub(in super::super) const RESPONSE: u32 = 3;
    pub(in super::super) const QUERY_RESULT: u32 = 203;
    pub(in super::super) const STATEMENT_RESULT: u32 = 219;
}

/// The replies of a connection.
pub(super) struct Replies {
    output: Sender<Bytes>,
    /// The number of the next reply.
    seq: i64,
}

impl Replies {
    pub(super) fn new(output: Sender<Bytes>) -> Self {
        Self { output, seq: 0 }
    }

    /// Sends a reply to a method.
    pub(super) async fn send(
        &mut self,
        method: TraceProcessorMethod,
        args: Option<Args>,
    ) -> Result<(), Disconnected> {
        let kind = Type::Response(method as i32);
        self.send_message(TraceProcessorRpc { r#type: Some(kind), args, ..Default::default() })
            .await
    }

    /// Says that there is no method of this number.
    pub(super) async fn refuse(&mut self, method: i32) -> Result<(), Disconnected> {
        let kind = Type::InvalidRequest(method);
        self.send_message(TraceProcessorRpc { r#type: Some(kind), ..Default::default() }).await
    }

    /// Says why the connection ends.
    pub(super) async fn fail(&mut self, why: String) -> Result<(), Disconnected> {
        self.send_message(TraceProcessorRpc { fatal_error: Some(why), ..Default::default() }).await
    }

    /// Sends a reply with an encoded argument in the field `number`.
    pub(super) async fn send_encoded(
        &mut self,
        method: TraceProcessorMethod,
        number: u32,
        argument: &[u8],
    ) -> Result<(), Disconnected> {
        let bytes = framed_argument(self.next_seq(), method, number, argument);
        self.output.send(bytes).await.map_err(|_| Disconnected)
    }

    async fn send_message(&mut self, mut message: TraceProcessorRpc) -> Result<(), Disconnected> {
        message.seq = Some(self.next_seq());
        self.output.send(framed(&message)).await.map_err(|_| Disconnected)
    }

    fn next_seq(&mut self) -> i64 {
        let seq = self.seq;
        self.seq += 1;
        seq
    }
}

/// A reply with an encoded argument as a part of a stream.
fn framed_argument(seq: i64, method: TraceProcessorMethod, number: u32, argument: &[u8]) -> Bytes {
    let mut head = BytesMut::with_capacity(32);
    encode_key(field::SEQ, WireType::Varint, &mut head);
    encode_varint(seq as u64, &mut head);
    encode_key(field::RESPONSE, WireType::Varint, &mut head);
    encode_varint(method as u64, &mut head);
    encode_key(number, WireType::LengthDelimited, &mut head);
    encode_varint(argument.len() as u64, &mut head);
    let length = head.len() + argument.len();
    let mut bytes = BytesMut::with_capacity(1 + encoded_len_varint(length as u64) + length);
    bytes.put_u8(KEY);
    encode_varint(length as u64, &mut bytes);
    bytes.put_slice(&head);
    bytes.put_slice(argument);
    bytes.freeze()
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use tpq_proto::message::{QueryResult, TraceProcessorRpcStream};

    use super::*;

    #[test]
    fn an_encoded_argument_is_a_reply_like_any_other() {
        let result = QueryResult { error: Some("x".repeat(300)), ..QueryResult::default() };
        let method = TraceProcessorMethod::TpmQueryStreaming;
        let bytes = framed_argument(7, method, field::QUERY_RESULT, &result.encode_to_vec());
        let message = TraceProcessorRpc {
            seq: Some(7),
            r#type: Some(Type::Response(method as i32)),
            args: Some(Args::QueryResult(result)),
            ..TraceProcessorRpc::default()
        };
        assert_eq!(bytes, framed(&message));
        let stream = TraceProcessorRpcStream { msg: vec![message] };
        assert_eq!(bytes, stream.encode_to_vec());
    }
}
