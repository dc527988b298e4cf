require "mail"
mail = Mail.new do
  from "Mikel <mikel@test.lindsaar.net>"
  to ["a@x.org", "B C <b@x.org>"]
  cc "c@x.org"
  subject "Übung of a rather long subject line that must be folded somewhere because it is long"
  text_part { body "plain text ü" }
  html_part { content_type "text/html; charset=UTF-8"; body "<b>x</b>" }
  add_file filename: "a.txt", content: "abc"
end
mail.message_id = "<1@x>"
mail.date = Time.at(0)
mail["X-Own"] = "v"
raw = mail.to_s
back = Mail.new(raw)
back.from; back.to; back.cc; back.subject; back.date; back.message_id; back.parts.each { |part| part.decoded; part.content_type; part.charset }
back.attachments.each { |one| one.filename; one.decoded }
back.multipart?; back.header.fields.each { |field| field.name; field.value; field.to_s; field.decoded; field.encoded }
back.reply_to = "r@x.org"; back.in_reply_to = "<2@x>"; back.references = ["<1@x>", "<2@x>"]
back.bcc = "q@x.org"; back.sender = "s@x.org"; back.mime_version; back.transport_encoding; back.content_type_parameters
back.to_s; back.inspect; back.to_yaml; back.destinations; back.errors; back.without_attachments!
Mail.defaults { delivery_method :test }
mail.deliver
Mail::TestMailer.deliveries.first.to_s
Mail::Address.new("A B (c) <a@b.c>").then { |a| a.display_name; a.local; a.domain; a.comments; a.format; a.name }
Mail::AddressList.new("a@b.c, G: d@e.f, g@h.i;").addresses
Mail.read_from_string("Received: from a by b; Mon, 1 Jan 2000 00:00:00 +0000\r\nReturn-Path: <a@b.c>\r\nSubject: =?utf-8?Q?x=C3=BC?=\r\nContent-Disposition: attachment; filename=\"x\"\r\nContent-Transfer-Encoding: base64\r\n\r\nYWJj").then { |m| m.received; m.return_path; m.subject; m.body.decoded; m.content_disposition; m.bounced? }
Mail::Encodings.b_value_encode("ü"); Mail::Encodings.q_value_encode("ü"); Mail::Encodings.value_decode("=?UTF-8?B?w7w=?="); Mail::Encodings.param_encode("ü")
